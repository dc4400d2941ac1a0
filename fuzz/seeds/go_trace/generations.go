package main

import (
	"context"
	"os"
	"runtime/trace"
	"time"
)

func tick(ctx context.Context, done chan bool) {
	for i := 0; i < 4; i++ {
		trace.WithRegion(ctx, "tick", func() { time.Sleep(300 * time.Millisecond) })
	}
	done <- true
}

func main() {
	f, _ := os.Create(os.Args[1])
	trace.Start(f)
	ctx, task := trace.NewTask(context.Background(), "long")
	done := make(chan bool)
	go tick(ctx, done)
	<-done
	task.End()
	trace.Stop()
	f.Close()
}
