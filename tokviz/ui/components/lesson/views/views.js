// The kinds of views, by the names that lessons have for them.

import { DropoutView } from "./dropout.js";
import { GlitchView } from "./glitch.js";
import { PairsView } from "./pairs.js";
import { PlayerView } from "./player.js";
import { TextsView } from "./texts.js";
import { TokensView } from "./tokens.js";
import { UnitsView } from "./units.js";
import { BytesView } from "./utf8.js";

export const VIEWS = {
  bytes: BytesView,
  dropout: DropoutView,
  glitch: GlitchView,
  pairs: PairsView,
  player: PlayerView,
  texts: TextsView,
  tokens: TokensView,
  units: UnitsView,
};
