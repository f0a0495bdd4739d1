// One voice of the picker: its name chooses it; it can be kept as a favourite, and heard by its button, by P, or while
// the pointer rests on it.

import { Check, CircleStop, Star, Volume2 } from "lucide-react";
import { t } from "../../../messages/messages.ts";
import type { VoiceChoice } from "../../../stores/voices.ts";
import { IconButton } from "../../../ui/button.tsx";
import { useRowTabIndex } from "../../../ui/rows.ts";
import { voiceHue, voiceInitial } from "../voices.ts";
import type { VoiceSample } from "./use-voice-sample.ts";

type VoiceRowProps = {
  voice: VoiceChoice;
  isChosen: boolean;
  isFavourite: boolean;
  sample: VoiceSample;
  onChoose: () => void;
  onToggleFavourite: () => void;
};

export function VoiceRow({
  voice,
  isChosen,
  isFavourite,
  sample,
  onChoose,
  onToggleFavourite,
}: VoiceRowProps) {
  const isPlaying = sample.isPlaying(voice);
  const { id, name, about } = voice;
  return (
    <>
      <button
        type="button"
        className="voice-choose"
        data-main
        tabIndex={useRowTabIndex()}
        aria-pressed={isChosen}
        onClick={onChoose}
        onKeyDown={(event) => {
          if (event.key !== "p" || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          sample.toggle(voice);
        }}
        aria-keyshortcuts="p"
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && sample.startSoon(voice)}
        onPointerLeave={sample.stopStarted}
        onPointerDown={sample.stopStarted}
      >
        <span className="narrate-initial" data-hue={voiceHue(id)} aria-hidden>
          {voiceInitial(id)}
        </span>
        <span className="voice-words">
          <span className="voice-name">{name}</span>{" "}
          {about !== "" && <span className="voice-about">{about}</span>}
        </span>
        {isChosen && <Check className="voice-check" aria-hidden />}
      </button>
      <IconButton
        label={t(isFavourite ? "narrate.voice.unfavourite" : "narrate.voice.favourite", {
          voice: name,
        })}
        className={isFavourite ? "voice-favourite" : "voice-tool"}
        isSmall
        side="left"
        onClick={onToggleFavourite}
      >
        <Star aria-hidden />
      </IconButton>
      <IconButton
        label={t(isPlaying ? "narrate.voice.stop" : "narrate.voice.play", { voice: name })}
        isSmall
        side="left"
        isBusy={sample.isBusy(voice)}
        onClick={() => sample.toggle(voice)}
      >
        {isPlaying ? <CircleStop aria-hidden /> : <Volume2 aria-hidden />}
      </IconButton>
    </>
  );
}
