package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// cpuTime returns the processor time of all threads of a process, in nanoseconds. /proc/<pid>/stat is too coarse: one of its
// ticks is as long as thirty calls.
func cpuTime(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("the processor time of process %d cannot be read", pid)
	}
	var sum int64
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has just ended
		}
		var ns int64
		if _, err := fmt.Sscan(string(text), &ns); err != nil {
			return 0, fmt.Errorf("%s contains no processor time: %w", thread, err)
		}
		sum += ns
	}
	return time.Duration(sum), nil
}

// cpuTimes has the processor times of both processes at one time.
type cpuTimes struct {
	at              time.Time
	service, client time.Duration
}

func readCPUTimes(pid int) (cpuTimes, error) {
	service, err := cpuTime(pid)
	if err != nil {
		return cpuTimes{}, err
	}
	client, err := cpuTime(os.Getpid())
	return cpuTimes{time.Now(), service, client}, err
}
