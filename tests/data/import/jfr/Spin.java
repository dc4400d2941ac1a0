// Recorded as spin.jfr: one thread recurses, the other counts words.
//   java -XX:StartFlightRecording=filename=spin.jfr,settings=spin.jfc Spin
import java.util.HashMap;
import java.util.Map;

public class Spin {
    static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static int count(Map<String, Integer> words, int n) {
        for (int i = 0; i < n; i++) words.merge("word" + i % 997, 1, Integer::sum);
        return words.size();
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> { for (int i = 0; i < 40; i++) count(new HashMap<>(), 200_000); }, "counter");
        other.start();
        long sum = 0;
        for (int i = 0; i < 12; i++) sum += fibonacci(36);
        other.join();
        System.out.println(sum);
    }
}
