// The kinds of views, by the names that lessons have for them.

import { ChunksView } from "./chunks.js";
import { CodesView } from "./codes.js";
import { CostView } from "./cost.js";
import { DecodeView } from "./decode.js";
import { DropoutView } from "./dropout.js";
import { EncodeStepsView } from "./encode_steps.js";
import { FilesView } from "./files.js";
import { GlitchView } from "./glitch.js";
import { LiveTrainingView } from "./live_training.js";
import { ModelsView } from "./models.js";
import { OneTextView } from "./one_text.js";
import { PairsView } from "./pairs.js";
import { PlayerView } from "./player.js";
import { SameIdsView } from "./same_ids.js";
import { SizesView } from "./sizes.js";
import { SpecialView } from "./special.js";
import { TextsView } from "./texts.js";
import { TiesView } from "./ties.js";
import { TokensView } from "./tokens.js";
import { UnigramView } from "./unigram.js";
import { UnitsView } from "./units.js";
import { BytesView } from "./utf8.js";

export const VIEWS = {
  bytes: BytesView,
  chunks: ChunksView,
  codes: CodesView,
  cost: CostView,
  decode: DecodeView,
  dropout: DropoutView,
  "encode-steps": EncodeStepsView,
  files: FilesView,
  glitch: GlitchView,
  "live-training": LiveTrainingView,
  models: ModelsView,
  "one-text": OneTextView,
  pairs: PairsView,
  player: PlayerView,
  "same-ids": SameIdsView,
  sizes: SizesView,
  special: SpecialView,
  texts: TextsView,
  ties: TiesView,
  tokens: TokensView,
  unigram: UnigramView,
  units: UnitsView,
};
