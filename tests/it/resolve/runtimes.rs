//! How each runtime names its functions.

use super::*;

/// A source tree with one definition of each kind of language.
pub(super) fn many_languages() -> Hierarchy {
    use ModuleKind::{Class, Directory, File, Function, Namespace};
    let mut builder = HierarchyBuilder::new("app");
    let mut file = |path: &[&str]| {
        let (name, directories) = path.split_last().expect("a path");
        let mut parent = NodeId::ROOT;
        for directory in directories {
            let found = builder.find(parent, Directory, directory);
            parent =
                found.unwrap_or_else(|| builder.add(parent, module(Directory, directory, 0, 0)));
        }
        builder.add(parent, module(File, name, 1, 100))
    };
    let java = file(&["org", "shop", "Cart.java"]);
    let kotlin = file(&["org", "shop", "Util.kt"]);
    let csharp = file(&["Orders.cs"]);
    let go = file(&["store", "store.go"]);
    let php = file(&["Api.php"]);
    let ruby = file(&["queue.rb"]);
    let python = file(&["jobs", "run.py"]);
    let script = file(&["view.js"]);
    let twin = file(&["twin.js"]);
    let rust = file(&["crate", "parse.rs"]);
    let cart = builder.add(java, module(Class, "Cart", 1, 50));
    builder.add(cart, module(Function, "Cart", 2, 4));
    builder.add(cart, module(Function, "total", 6, 20));
    let item = builder.add(cart, module(Class, "Item", 30, 40));
    builder.add(item, module(Function, "price", 31, 33));
    builder.add(kotlin, module(Function, "round", 3, 5));
    let namespace = builder.add(csharp, module(Namespace, "Shop.Core", 1, 90));
    let orders = builder.add(namespace, module(Class, "Orders", 2, 90));
    builder.add(orders, module(Function, "Load", 4, 20));
    builder.add(orders, module(Function, "Load.Parse", 8, 10));
    builder.add(orders, module(Function, "Size", 22, 22));
    let store = builder.add(go, module(Class, "Store", 1, 90));
    builder.add(store, module(Function, "Get", 4, 20));
    let namespace = builder.add(php, module(Namespace, "Shop\\Api", 1, 90));
    let client = builder.add(namespace, module(Class, "Client", 2, 60));
    builder.add(client, module(Function, "send", 4, 20));
    let queue = builder.add(ruby, module(Class, "Queue", 1, 90));
    builder.add(queue, module(Function, "pop", 4, 20));
    let job = builder.add(python, module(Class, "Job", 1, 90));
    builder.add(job, module(Function, "start", 4, 20));
    let view = builder.add(script, module(Class, "View", 1, 40));
    builder.add(view, module(Function, "constructor", 2, 4));
    builder.add(view, module(Function, "draw", 5, 20));
    builder.add(script, module(Function, "twice", 50, 51));
    builder.add(twin, module(Function, "twice", 1, 2));
    let parser = builder.add(rust, module(Class, "Parser", 1, 40));
    builder.add(parser, module(Function, "next", 2, 9));
    builder.build().0
}

#[test]
fn names_of_every_runtime_find_their_function() {
    use Rule::{FileAndLine, FileAndName, QualifiedName, UniqueName};
    for (name, file, line, path, rule) in [
        (
            "org.shop.Cart.total",
            "",
            0,
            "org/shop/Cart.java/Cart/total",
            QualifiedName,
        ),
        (
            "org.shop.Cart.<init>",
            "",
            0,
            "org/shop/Cart.java/Cart/Cart",
            QualifiedName,
        ),
        (
            "org.shop.Cart$Item.price",
            "",
            0,
            "org/shop/Cart.java/Cart/Item/price",
            QualifiedName,
        ),
        (
            "org.shop.Cart.lambda$total$0",
            "Cart.java",
            9,
            "org/shop/Cart.java/Cart/total",
            FileAndName,
        ),
        (
            "org.shop.UtilKt.round",
            "",
            0,
            "org/shop/Util.kt/round",
            QualifiedName,
        ),
        (
            "Shop.Core.Orders.Load(int, string)",
            "",
            0,
            "Orders.cs/Shop.Core/Orders/Load",
            QualifiedName,
        ),
        (
            "Shop!Shop.Core.Orders.get_Size",
            "",
            0,
            "Orders.cs/Shop.Core/Orders/Size",
            QualifiedName,
        ),
        (
            "Shop.Core.Orders.<Load>g__Parse|4_0",
            "",
            0,
            "Orders.cs/Shop.Core/Orders/Load.Parse",
            QualifiedName,
        ),
        (
            "Shop.Core.Orders+<Load>d__4.MoveNext",
            "",
            0,
            "Orders.cs/Shop.Core/Orders/Load",
            QualifiedName,
        ),
        (
            "example.com/shop/store.(*Store).Get",
            "",
            0,
            "store/store.go/Store/Get",
            QualifiedName,
        ),
        (
            "example.com/shop/store.(*Store).Get.func1",
            "",
            0,
            "store/store.go/Store/Get",
            QualifiedName,
        ),
        (
            "Shop\\Api\\Client::send",
            "",
            0,
            "Api.php/Shop\\Api/Client/send",
            QualifiedName,
        ),
        (
            "Shop\\Api\\Client->send",
            "",
            0,
            "Api.php/Shop\\Api/Client/send",
            QualifiedName,
        ),
        ("Queue#pop", "", 0, "queue.rb/Queue/pop", QualifiedName),
        (
            "block in Queue#pop",
            "/srv/queue.rb",
            6,
            "queue.rb/Queue/pop",
            FileAndName,
        ),
        (
            "jobs.run:Job.start",
            "",
            0,
            "jobs/run.py/Job/start",
            QualifiedName,
        ),
        (
            "new View",
            "file:///srv/view.js",
            2,
            "view.js/View/constructor",
            FileAndName,
        ),
        (
            "(anonymous)",
            "file:///srv/view.js",
            7,
            "view.js/View/draw",
            FileAndLine,
        ),
        (
            "draw/<",
            "http://host/view.js?v=2",
            9,
            "view.js/View/draw",
            FileAndName,
        ),
        (
            "_ZN5crate5parse6Parser4next17h0123456789abcdefE",
            "",
            0,
            "crate/parse.rs/Parser/next",
            QualifiedName,
        ),
        (
            "_RNvMs_NtCs1234_5crate5parseNtB4_6Parser4next",
            "",
            0,
            "crate/parse.rs/Parser/next",
            QualifiedName,
        ),
        ("next+0x1c", "", 0, "crate/parse.rs/Parser/next", UniqueName),
    ] {
        // Beside others, as a recording has them: a path alone is not much to go by.
        let beside = [
            ("View.draw", "file:///srv/view.js", 5, ""),
            ("pop", "/srv/queue.rb", 4, ""),
            ("total", "Cart.java", 6, ""),
            ("draw", "http://host/view.js?v=2", 5, ""),
            (name, file, line, ""),
        ];
        let found = resolved(&many_languages(), &beside)
            .pop()
            .expect("one more");
        assert_eq!(found, (path.to_owned(), rule), "{name}");
    }
}
