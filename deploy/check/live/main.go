// Command live is a small Prometheus, made of the real one's parts: it scrapes the given targets every second, lets the
// alarms go off, and tells what every panel of the dashboard shows.
//
// It writes one JSON object a line: first {"scraped": true}, when every target has answered; then {"alarm": name,
// "firing": bool} for each alarm that goes off or ends; and for each line that it reads {"panels": [...]}, with the
// questions of all panels and the values, where they are numbers, that answer them now. It ends with its input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const interval = time.Second

func main() {
	rulesFile := flag.String("rules", "../grafana/rules.yml", "the alarms")
	dashboard := flag.String("dashboard", "../grafana/dashboard.json", "the dashboard")
	hold := flag.Duration("for", 2*time.Second, "how long every alarm waits before it goes off, instead of its own time")
	targets := flag.String("targets", "", "whom to scrape: host:port, separated by commas")
	flag.Parse()
	out := &lines{encoder: json.NewEncoder(os.Stdout)}
	if err := run(strings.Split(*targets, ","), *rulesFile, *dashboard, *hold, out); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

func run(targets []string, rulesFile, dashboard string, hold time.Duration, out *lines) error {
	store, err := openStore()
	if err != nil {
		return err
	}
	defer store.close()
	scraping, err := scrapeAll(targets, store.db)
	if err != nil {
		return err
	}
	defer scraping.Stop()
	if err := store.awaitScrapes(len(targets)); err != nil {
		return err
	}
	out.write(map[string]any{"scraped": true})
	watching, err := watchAlarms(rulesFile, hold, store, out)
	if err != nil {
		return err
	}
	defer watching.Stop()
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		panels, err := show(context.Background(), dashboard, store)
		if err != nil {
			return err
		}
		out.write(map[string]any{"panels": panels})
	}
	return nil
}

// lines writes JSON objects, one a line, from any goroutine.
type lines struct {
	mu      sync.Mutex
	encoder *json.Encoder
}

func (l *lines) write(object any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.encoder.Encode(object); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
	}
}
