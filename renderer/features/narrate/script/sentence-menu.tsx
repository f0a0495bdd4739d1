// Menu of the sentence with the caret: play from here, generate or regenerate, play and choose takes.

import "./sentence-menu.css";
import { AudioLines, Ellipsis, Play, RotateCcw, Volume2 } from "lucide-react";
import { useState } from "react";
import type { NarrationSentence } from "../../../../main/contract/narration.ts";
import { call } from "../../../api/client.ts";
import { takeUrl } from "../../../api/binary.ts";
import { formatDecimal } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Popover, PopoverClose } from "../../../ui/popover.tsx";
import { selectedTake } from "../playing/timeline.ts";
import { playClip } from "../playing/clip.ts";
import { useNarration } from "../use-narration.ts";

export function SentenceMenu({ sentence }: { sentence: NarrationSentence }) {
  const { item, open } = useNarration();
  const task = useTask();
  const [isOpen, setOpen] = useState(false);
  const { id, takes, missed, voice, spokenBy } = sentence;
  const hasTakes = takes.length > 0;
  const currentTake = selectedTake(sentence);
  const generate = (): void =>
    void task.run(() => open.generate({ sentenceIds: [id], isNewTake: hasTakes }));
  return (
    <Popover
      label={t("narrate.sentence")}
      align="end"
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <IconButton label={t("narrate.sentence")} isSmall side="left">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <div className="sentence-menu">
        <p className="sentence-menu-text">{sentence.text}</p>
        <p className="secondary sentence-menu-state">
          {spokenBy === undefined
            ? voice
            : t("narrate.taken-over", { name: voice, voice: spokenBy })}{" "}
          ·{" "}
          {hasTakes
            ? t("narrate.takes", { count: takes.length })
            : t("narrate.sentence.not-generated")}
        </p>
        {missed !== undefined && missed.length > 0 && (
          <Notice tone="warn">{t("narrate.check.missed", { words: missed.join(", ") })}</Notice>
        )}
        <div className="sentence-menu-tools">
          <PopoverClose>
            <Button
              isSmall
              icon={<Play aria-hidden />}
              onClick={() => void open.playFrom(item.title, id)}
            >
              {t("narrate.play-from")}
            </Button>
          </PopoverClose>
          <Button
            isSmall
            icon={hasTakes ? <RotateCcw aria-hidden /> : <AudioLines aria-hidden />}
            isBusy={task.isBusy}
            onClick={generate}
          >
            {hasTakes ? t("narrate.sentence.regenerate") : t("narrate.sentence.generate")}
          </Button>
        </div>
        {takes.length > 0 && (
          <ul className="sentence-menu-takes" aria-label={t("narrate.sentence.takes")}>
            {takes.map((take, index) => (
              <li key={take.id}>
                <label className="check">
                  <input
                    type="radio"
                    name="narrate-take"
                    checked={take.id === currentTake?.id}
                    onChange={() =>
                      void task.run(async () =>
                        open.store.applyNarration(
                          await call("chooseTake", { sentenceId: id, takeId: take.id }, item.id),
                        ),
                      )
                    }
                  />
                  <span className="figures">
                    {t("narrate.take", {
                      number: index + 1,
                      sec: formatDecimal(take.durationSec, 1),
                    })}
                  </span>
                </label>
                <IconButton
                  label={t("narrate.take.play", { number: index + 1 })}
                  isSmall
                  onClick={() =>
                    void playClip(
                      takeUrl(item.id, take.id),
                      t("narrate.take.play", { number: index + 1 }),
                    )
                  }
                >
                  <Volume2 aria-hidden />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        {task.error !== undefined && <Notice tone="bad">{task.error}</Notice>}
      </div>
    </Popover>
  );
}
