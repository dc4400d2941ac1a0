//! What one view does and no other.

/// What a view does by keys and menus of its own: a type for each view, so that none is asked for what another one does.
pub trait OwnAction: Copy + PartialEq + 'static {
    /// The id of the view that does it.
    const VIEW: &'static str;
    const ALL: &'static [Self];
}

/// One of a view's own actions, on its way to the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    view: &'static str,
    number: usize,
}

impl Own {
    pub fn of<A: OwnAction>(action: A) -> Own {
        let number = A::ALL.iter().position(|it| *it == action);
        Own {
            view: A::VIEW,
            number: number.expect("`ALL` has every action"),
        }
    }

    /// Which it is; none of another view's.
    pub fn action<A: OwnAction>(self) -> Option<A> {
        let action = A::ALL.get(self.number).copied();
        action.filter(|_| self.view == A::VIEW)
    }

    /// The id of the view that does it.
    pub fn view(self) -> &'static str {
        self.view
    }
}
