// Recorded as hoard.jfr and tlab.jfr: a thread reads pages and keeps some of them, another makes texts.
//   java -Xmx48m -XX:+UseSerialGC -XX:StartFlightRecording=filename=hoard.jfr,settings=hoard.jfc Hoard
//   java -Xmx512m -XX:+UseSerialGC -XX:StartFlightRecording=filename=tlab.jfr,settings=tlab.jfc Hoard
import java.util.ArrayList;
import java.util.List;

public class Hoard {
    static class Page {
        final byte[] text;
        final int number;

        Page(int number) {
            this.number = number;
            text = new byte[1000 + number % 1000];
        }
    }

    static final List<Page> kept = new ArrayList<>();

    static Page read(int number) {
        Page page = new Page(number);
        if (number % 100 == 0) keep(page);
        return page;
    }

    static void keep(Page page) {
        kept.add(page);
    }

    static int spell(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; i++) text.append(number + i).append(' ');
        return text.toString().length();
    }

    public static void main(String[] args) throws Exception {
        Thread reader = new Thread(() -> {
            long sum = 0;
            for (int i = 0; i < 600_000; i++) sum += read(i).text.length;
            System.out.println(sum);
        }, "reader");
        reader.start();
        long letters = 0;
        for (int i = 0; i < 400_000; i++) letters += spell(i);
        reader.join();
        // Larger than a buffer of a thread.
        long[][] tables = new long[8][];
        for (int i = 0; i < tables.length; i++) tables[i] = new long[200_000];
        System.out.println(letters + tables.length + kept.size());
    }
}
