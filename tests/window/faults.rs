//! Windows of any size and scale, what the graphics device does to them, and what is said where none can open.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common;
use crate::display::{Display, Owned, Window, draws_nothing_at_rest};

/// Opens a window in which a fault happens, and sees that it goes on; the messages that it shows then.
fn goes_on_after(fault: &str) -> Option<Value> {
    let display = Display::open()?;
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let window = Window::open_with(&display, &[&source, &trace], &format!("{fault}@12"));
    window.wait("open session", |state| state["open"].is_string());
    for round in 0..4 {
        window.key("F1");
        window.wait("help", |state| state["help"] == (round % 2 == 0));
    }
    let state = window.wait("more frames", |state| state["frame"].as_u64() > Some(16));
    draws_nothing_at_rest(&window);
    window.close();
    Some(state["messages"].clone())
}

#[test]
fn a_lost_device_is_replaced() {
    if let Some(messages) = goes_on_after("device") {
        assert_eq!(messages, serde_json::json!([]));
    }
}

#[test]
fn a_lost_surface_is_replaced() {
    if let Some(messages) = goes_on_after("surface") {
        assert_eq!(messages, serde_json::json!([]));
    }
}

#[test]
fn a_device_without_memory_is_made_do_with_and_told() {
    if let Some(messages) = goes_on_after("memory") {
        let told = serde_json::json!(["The graphics device has no memory left"]);
        assert_eq!(messages, told);
    }
}

#[test]
fn a_window_may_have_any_size() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let window = Window::open(&display, &[&source]);
    window.wait("open session", |state| state["open"].is_string());
    for [width, height] in [
        ["1", "1"],
        ["3000", "2500"],
        ["330", "2000"],
        ["900", "600"],
    ] {
        let state = window.resize(width, height);
        assert_eq!(
            state["messages"],
            serde_json::json!([]),
            "{width} × {height}"
        );
    }
    window.wait_for_rest();
    window.close();
}

/// On a screen of twice the scale all is twice as large, and what lies under the pointer is still found.
#[test]
fn a_window_has_the_scale_of_its_screen() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    for scale in ["1", "2", "1.25"] {
        let window = Window::open_scaled(&display, &[&source], scale);
        window.wait("open session", |state| state["open"].is_string());
        window.wait_for_rest();
        // The middle of the landscape is in the picture however large what stands around it is.
        window.point(480, 330);
        window.wait("something pointed at", |state| state["hovered"].is_string());
        let found = window.state()["hovered"].clone();
        window.click(1, 1);
        let state = window.wait("a selection", |state| state["selected"].is_string());
        assert_eq!(state["selected"], found, "at {scale}");
        assert_eq!(state["messages"], serde_json::json!([]), "at {scale}");
        draws_nothing_at_rest(&window);
        window.close();
    }
}

/// Runs a window that cannot open; what it says on standard error.
fn refusal(mut command: Command) -> String {
    let child = command
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program is built");
    let mut child = Owned(child);
    let mut said = String::new();
    let stderr = child.0.stderr.as_mut().expect("it is piped");
    stderr.read_to_string(&mut said).expect("messages are text");
    let status = child.0.wait().expect("it is our process");
    assert_eq!(status.code(), Some(1), "{said}");
    said
}

#[test]
fn without_a_display_the_window_says_what_is_missing() {
    let mut command = common::callscape();
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.env_remove("WAYLAND_SOCKET");
    let said = refusal(command);
    assert!(said.contains("DISPLAY"), "{said}");
    assert!(said.contains("callscape render"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn without_an_adapter_the_window_says_what_to_install() {
    let Some(display) = Display::open() else {
        return;
    };
    let mut command = display.callscape();
    command
        .env("VK_ICD_FILENAMES", "/nowhere.json")
        .env("VK_DRIVER_FILES", "/nowhere.json");
    let said = refusal(command);
    assert!(said.contains("mesa-vulkan-drivers"), "{said}");
}
