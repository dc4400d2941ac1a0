import java.util.concurrent.locks.LockSupport;

/** One thread that works, sleeps, parks and waits; another that keeps the lock it wants. */
public class Rest {
    static volatile double sum;
    static final Object lock = new Object();

    static void work() {
        for (int i = 0; i < 4_000_000; i++) sum += Math.sqrt(i);
    }

    static void sleep() throws Exception {
        Thread.sleep(60);
    }

    static void park() {
        LockSupport.parkNanos(50_000_000);
    }

    static void await() throws Exception {
        synchronized (lock) { lock.wait(40); }
    }

    static void keep() {
        synchronized (lock) { for (int i = 0; i < 3; i++) work(); }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread keeper = new Thread(Rest::keep, "keeper");
            work();
            sleep();
            work();
            keeper.start();
            Thread.sleep(5);
            await();
            work();
            park();
            keeper.join();
        }
    }
}
