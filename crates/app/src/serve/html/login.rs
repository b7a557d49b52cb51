//! The page of the login, for servers with a token.
use maud::html;

use super::layout;
use crate::serve::service::Answer;

pub(crate) fn login() -> Answer {
    layout(
        "Log in",
        None,
        &html! {
            h1 { "Log in" }
            form method="post" action="/login" {
                label for="token" { "Token of this server" }
                " "
                input id="token" name="token" type="password" autocomplete="current-password" required;
                " "
                button { "Log in" }
            }
            p { "It is in the file that the server was started with (--token-file)." }
        },
    )
}
