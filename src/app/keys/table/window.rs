//! The window itself, its palette, cards and letters.

use crate::command::{Command, PaletteAsk, TourAsk};
use callscape_state::action::{Line, On, Scope};
use callscape_state::ask::{CardAsk, LookAsk, MappingAsk};
use callscape_state::keys;

use super::possible::is_open;

pub(super) const LINES: &[Line<Command>] = keys! {
    "the palette: every action, view and module by its name" {
        "palette.open" ["Ctrl + P"] "Palette", "Finds every action, view and module by any part of its name." => PaletteAsk::Toggle;
        "palette.up" ["↑"] "The row above", "Marks the row above." => PaletteAsk::Move(-1), within(Scope::Palette), repeating();
        "palette.down" ["↓"] "The row below", "Marks the row below." => PaletteAsk::Move(1), within(Scope::Palette), repeating();
        "palette.take" ["Enter"] "Do it", "Does what the marked row says." => PaletteAsk::Take(None), within(Scope::Palette);
        "palette.leave" ["Escape" "Ctrl + P"] "Leave the palette", "Closes the palette or the menu." => Command::Escape, within(Scope::Palette);
    }
    ["Right click"] "actions for that item" { "menu.open" ["Shift + F10" "Menu key"] "Menu of the item under the pointer", "Lists the actions for the item under the pointer or the selected one." => PaletteAsk::Menu(None, &[]), when(is_open); }
    "this help" { "card.help" ["F1" "?"] "Help", "Shows all keys." => CardAsk::ToggleHelp; }
    ["F1, Take the tour"] "eleven things to do on the demo" { "tour.begin" [] "Take the tour", "Leads through eleven things to do on the demo; Escape leaves it, and returns to what was open." => TourAsk::Begin; }
    [= "F6, then Tab, Enter"] "the buttons and fields by keys; Escape: back to the views" { "focus.first" ["F6"] "Buttons by keys", "Gives the keyboard to the first button: Tab and Shift + Tab go on, Enter and Space press, Escape leaves." => Command::Focus; }
    "settings" { "card.settings" ["O"] "Settings", "Shows what the landscape is drawn by." => CardAsk::ToggleSettings, on(&[On::View]); }
    "what the colours say, and what stands out" { "card.question" ["Shift + Q"] "The question of the map", "Shows or hides what the colours say and the modules that stand out." => LookAsk::ToggleQuestion, when(is_open); }
    "the mapping file and its editor" {
        "card.mapping" ["A"] "Mapping", "Shows the mapping file and its editor." => MappingAsk::Toggle, when(is_open);
        "mapping.save" ["Ctrl + S"] "Save the mapping", "Writes the mapping file and shows the structure through it." => MappingAsk::Save, within(Scope::Mapping);
    }
    "legend" { "card.legend" ["L"] "Legend", "Shows or hides the legend." => CardAsk::ToggleLegend, on(&[On::View]); }
    "call stacks" { "card.stacks" ["K"] "Running now", "Shows or hides running code." => CardAsk::ToggleStacks, on(&[On::View]); }
    "light or dark" { "look.theme" ["T"] "Light or dark", "Switches between the light and the dark theme." => LookAsk::SwitchTheme, on(&[On::View]); }
    "frame times, and times of GPU passes" { "card.timings" ["F3"] "Frame times", "Shows or hides how long frames take." => CardAsk::ToggleTimings; }
    "smaller and larger letters and lines, as usual" {
        "look.smaller" ["Ctrl + −"] "Smaller letters", "Makes letters and lines smaller." => LookAsk::ScaleText(1.0 / 1.1);
        "look.larger" ["Ctrl + +"] "Larger letters", "Makes letters and lines larger." => LookAsk::ScaleText(1.1);
        "look.usual" ["Ctrl + 0"] "Usual letters", "Makes letters and lines as large as usual." => LookAsk::ScaleText(0.0);
    }
};
