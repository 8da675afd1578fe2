// The kinds of views, by the names that lessons have for them.

import { PairsView } from "./pairs.js";
import { PlayerView } from "./player.js";
import { TokensView } from "./tokens.js";
import { UnitsView } from "./units.js";
import { BytesView } from "./utf8.js";

export const VIEWS = { bytes: BytesView, pairs: PairsView, player: PlayerView, tokens: TokensView, units: UnitsView };
