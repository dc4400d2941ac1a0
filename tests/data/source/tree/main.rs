fn main() {
    println!("{}", 1);
}
