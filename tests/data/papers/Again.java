/** Runs a lexical analyzer generator so many times that samples tell its parts apart. */
class Again {
    public static void main(String[] args) throws Exception {
        for (int run = Integer.parseInt(args[0]); run > 0; --run) {
            JLex.Main.main(new String[] {args[1]});
        }
    }
}
