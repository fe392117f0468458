package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// processorTime returns the processor time that all threads of a process have used, to the nanosecond: the ticks of
// /proc/<pid>/stat are as long as thirty calls.
func processorTime(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("the processor time of process %d cannot be read", pid)
	}
	var sum int64
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // a thread that has just ended
		}
		var ran int64
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			return 0, fmt.Errorf("%s holds no processor time: %w", thread, err)
		}
		sum += ran
	}
	return time.Duration(sum), nil
}

// use is a reading of both processes' processor time.
type use struct {
	at              time.Time
	service, client time.Duration
}

func readUse(pid int) (use, error) {
	service, err := processorTime(pid)
	if err != nil {
		return use{}, err
	}
	client, err := processorTime(os.Getpid())
	return use{time.Now(), service, client}, err
}
