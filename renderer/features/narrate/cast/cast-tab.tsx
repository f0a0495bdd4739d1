// The cast: who plays whom, with lines and time; one change of a voice is one for the whole script.

import "./cast-tab.css";
import { Trash2, UserPlus } from "lucide-react";
import { useMemo, useState } from "react";
import { formatTime } from "../../../messages/format.ts";
import { t } from "../../../messages/messages.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { SpeedSlider } from "../../../ui/speed-slider.tsx";
import { VoiceSelect } from "../../../ui/voice-select.tsx";
import { DeliverySettings } from "../panel/delivery-settings.tsx";
import { useChooseVoice } from "../panel/use-choose-voice.ts";
import { useNarration, useScript } from "../use-narration.ts";
import { noFilter, pickerGroups, voiceHue, voiceInitial } from "../voices.ts";
import { type CastRow, listCast, withRole } from "./cast-rows.ts";
import { CastProposalNotice } from "./cast-proposal.tsx";
import { findUncastNames, renameSpeaker } from "./speaker-marks.ts";
import { LastRecast, useRecast } from "./use-recast.tsx";
import { unusedVoice, useSpeakers, type Speakers } from "./use-speakers.ts";

export function CastTab() {
  const speakers = useSpeakers();
  const recast = useRecast();
  const sentences = useScript((state) => state.sentences);
  const { voice, speed } = useScript((state) => state.options);
  const { cast, narrator } = speakers;
  const rows = useMemo(
    () => listCast(sentences, { cast, narrator, voice, speed }),
    [sentences, cast, narrator, voice, speed],
  );
  return (
    <>
      <LastRecast />
      <CastProposalNotice speakers={speakers} recast={recast} />
      <ul className="cast" aria-label={t("narrate.cast")}>
        {rows.map((row) => (
          <CastMember key={row.name} row={row} speakers={speakers} />
        ))}
      </ul>
      <UncastNames speakers={speakers} />
    </>
  );
}

function CastMember({ row, speakers }: { row: CastRow; speakers: Speakers }) {
  const { open } = useNarration();
  const stored = usePreferences((preferences) => preferences.voices);
  const chooseVoice = useChooseVoice();
  const recast = useRecast();
  const { name, voice, role, lineCount, durationSec, takenOverBy } = row;
  const { cast, known, narrator, voices, findVoice, setCast } = speakers;
  const isNarrator = name === narrator;
  const setVoice = (id: string): void => {
    if (isNarrator) chooseVoice(findVoice(id));
    else if (role !== undefined) setCast(withRole(cast, name, { voice: id }));
    else {
      const script = renameSpeaker(open.store.getState().script, name, id, known);
      recast(t("narrate.cast.replaced", { from: findVoice(name).name, to: findVoice(id).name }), {
        script,
        cast,
      });
    }
  };
  return (
    <li className="cast-member">
      <span className="narrate-initial" data-hue={voiceHue(voice)} aria-hidden>
        {voiceInitial(name)}
      </span>
      <span className="cast-name">{role?.name ?? (isNarrator ? name : findVoice(name).name)}</span>
      <span className="secondary figures cast-figures">
        {t("narrate.cast.lines", { count: lineCount, time: formatTime(durationSec) })}
      </span>
      {lineCount === 0 && !isNarrator && (
        <IconButton
          label={t("narrate.cast.remove", { name })}
          isSmall
          side="left"
          onClick={() => setCast(cast.filter((each) => each.name !== name))}
        >
          <Trash2 aria-hidden />
        </IconButton>
      )}
      <div className="cast-settings">
        <VoiceSelect
          label={t("narrate.cast.voice", { name })}
          isLabelHidden
          groups={pickerGroups(voices, stored, noFilter)}
          value={voice}
          onChange={setVoice}
        />
        {takenOverBy.length > 0 && (
          <p className="field-help">
            {t("narrate.cast.taken-over", {
              voice: findVoice(voice).name,
              others: takenOverBy.map((id) => findVoice(id).name).join(", "),
            })}
          </p>
        )}
        {!isNarrator && (
          <details>
            <summary>{t("narrate.cast.settings")}</summary>
            <RoleSettings row={row} speakers={speakers} />
          </details>
        )}
      </div>
    </li>
  );
}

/** Of a voice that the script names itself, a change of settings makes a role. */
function RoleSettings({ row, speakers }: { row: CastRow; speakers: Speakers }) {
  const { open } = useNarration();
  const options = useScript((state) => state.options);
  const recast = useRecast();
  const { name, voice, role = { name, voice } } = row;
  const { cast, known, setCast } = speakers;
  const [draft, setDraft] = useState<string>();
  const [speed, setSpeed] = useState<number>();
  const rename = (): void => {
    const next = draft?.trim() ?? "";
    setDraft(undefined);
    if (next === "" || next === name || /[[\]]/.test(next) || known.isRole(next)) return;
    recast(t("narrate.cast.replaced", { from: name, to: next }), {
      script: renameSpeaker(open.store.getState().script, name, next, known),
      cast: withRole(cast, name, { ...role, name: next }),
    });
  };
  return (
    <div className="cast-details">
      <TextField
        label={t("narrate.cast.name")}
        maxLength={60}
        value={draft ?? name}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === "Enter" && rename()}
      />
      <SpeedSlider
        label={t("narrate.speed")}
        value={speed ?? role.speed ?? options.speed}
        onChange={setSpeed}
        onCommit={(value) => {
          setSpeed(undefined);
          setCast(withRole(cast, name, { ...role, speed: value }));
        }}
      />
      <DeliverySettings
        value={role}
        inherited={options}
        speed={role.speed ?? options.speed}
        onChange={(change) => setCast(withRole(cast, name, { ...role, ...change }))}
      />
    </div>
  );
}

/** Names that the script has in brackets, as a text from elsewhere may. */
function UncastNames({ speakers }: { speakers: Speakers }) {
  const script = useScript((state) => state.script);
  const { known, cast, setCast } = speakers;
  const names = useMemo(() => findUncastNames(script, known), [script, known]);
  if (names.length === 0) return null;
  return (
    <div className="cast-uncast">
      <p className="field-help">{t("narrate.cast.uncast")}</p>
      {names.slice(0, maxUncastNames).map((name) => (
        <Button
          key={name}
          isSmall
          icon={<UserPlus aria-hidden />}
          onClick={() => setCast([...cast, { name, voice: unusedVoice(speakers) }])}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}

const maxUncastNames = 12;
