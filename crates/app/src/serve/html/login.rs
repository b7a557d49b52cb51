//! The page of the login, for servers with a token.
use maud::{Markup, html};

use super::layout;
use crate::serve::{problem::Problem, service::Answer};

pub(crate) fn login() -> Answer {
    page("Log in")
}

/// The page for whoever has no token, or the wrong one: what is wrong, and the form right there.
pub(super) fn refused(problem: &Problem) -> Answer {
    page(&problem.message)
}

fn page(heading: &str) -> Answer {
    let main = html! {
        h1 { (heading) }
        (form())
        p.facts { "It is in the file that the server was started with (" code { "--token-file" } ")." }
        p.facts { "Programs send it in a header: " code { "Authorization: Bearer TOKEN" } "." }
    };
    layout(&format!("{heading} · Sanderling"), None, &main)
}

fn form() -> Markup {
    html! {
        form.filter method="post" action="/login" {
            label for="token" { "Token" }
            input id="token" name="token" type="password" autocomplete="current-password" required autofocus;
            button type="submit" { "Log in" }
        }
    }
}
