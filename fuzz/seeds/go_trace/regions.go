package main

import (
	"context"
	"os"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"time"
	"bytes"
)

//go:noinline
func spin(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i * i % 7
	}
	return s
}

func worker(ctx context.Context, in <-chan int, wg *sync.WaitGroup) {
	defer wg.Done()
	for n := range in {
		trace.WithRegion(ctx, "work", func() {
			spin(n * 30000)
			trace.WithRegion(ctx, "sleep", func() { time.Sleep(time.Millisecond) })
		})
	}
}

func main() {
	f, _ := os.Create(os.Args[1])
	var prof bytes.Buffer
	if len(os.Args) > 2 {
		pprof.StartCPUProfile(&prof)
	}
	trace.Start(f)
	ctx, task := trace.NewTask(context.Background(), "batch")
	in := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go worker(ctx, in, &wg)
	}
	for i := 1; i <= 6; i++ {
		_, t := trace.NewTask(ctx, "item "+strings.Repeat("x", i%3))
		in <- i
		t.End()
	}
	close(in)
	wg.Wait()
	os.ReadFile("/etc/passwd")
	trace.Log(ctx, "k", "v")
	task.End()
	if len(os.Args) > 2 {
		spin(40000000)
		pprof.StopCPUProfile()
	}
	trace.Stop()
	f.Close()
}
