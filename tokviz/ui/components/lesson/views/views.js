// The kinds of views, by the names that lessons have for them.

import { PlayerView } from "./player.js";
import { TokensView } from "./tokens.js";

export const VIEWS = { player: PlayerView, tokens: TokensView };
