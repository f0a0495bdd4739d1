// The list from which a speaker is chosen: the cast, then all voices, then a new role of the typed name.

import "./speaker-list.css";
import { Command } from "cmdk";
import { useState } from "react";
import { t } from "../../../messages/messages.ts";
import { usePreferences } from "../../../stores/preferences.ts";
import { noFilter, pickerGroups, voiceHue, voiceInitial } from "../voices.ts";
import type { Speakers } from "./use-speakers.ts";

export type SpeakerChoice = { readonly name: string; readonly isNew?: boolean };

export function SpeakerList({
  speakers,
  chosen,
  onChoose,
}: {
  speakers: Speakers;
  chosen: string;
  onChoose: (choice: SpeakerChoice) => void;
}) {
  const [typed, setTyped] = useState("");
  const stored = usePreferences((preferences) => preferences.voices);
  const { cast, narrator, voices, voiceOf, findVoice, ownVoice, known } = speakers;
  const isListed = cast.some(({ name }) => name === narrator);
  const roles = [...(isListed ? [] : [{ name: narrator }]), ...cast];
  const newName = typed.trim();
  const isNewName =
    newName !== "" && !/[[\]]/.test(newName) && !known.isRole(newName) && !known.isVoice(newName);
  return (
    <Command className="speaker-list" label={t("narrate.cast.choose")} loop>
      <Command.Input
        autoFocus
        maxLength={60}
        placeholder={t("narrate.cast.search")}
        value={typed}
        onValueChange={setTyped}
      />
      <Command.List>
        <Command.Group heading={t("narrate.cast")}>
          {roles.map(({ name }) => (
            <SpeakerItem
              key={name}
              value={`role ${name}`}
              name={name}
              voice={name === narrator && !isListed ? ownVoice : voiceOf(name)}
              about={findVoice(name === narrator ? ownVoice : voiceOf(name)).name}
              isChosen={name.toLowerCase() === chosen.toLowerCase()}
              onChoose={() => onChoose({ name })}
            />
          ))}
          {isNewName && (
            <Command.Item
              forceMount
              value={`new ${newName}`}
              onSelect={() => onChoose({ name: newName, isNew: true })}
            >
              {t("narrate.cast.new", { name: newName })}
            </Command.Item>
          )}
        </Command.Group>
        {pickerGroups(voices, stored, noFilter).map((group) => (
          <Command.Group key={group.label} heading={group.label}>
            {group.voices.map(({ id, name, about }) => (
              <SpeakerItem
                key={id}
                value={`${group.label} ${id}`}
                name={name}
                voice={id}
                about={about}
                isChosen={id === chosen.toLowerCase()}
                onChoose={() => onChoose({ name: id })}
              />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

function SpeakerItem({
  value,
  name,
  voice,
  about,
  isChosen,
  onChoose,
}: {
  value: string;
  name: string;
  voice: string;
  about: string;
  isChosen: boolean;
  onChoose: () => void;
}) {
  return (
    <Command.Item value={value} keywords={[name]} data-chosen={isChosen} onSelect={onChoose}>
      <span className="narrate-initial" data-hue={voiceHue(voice)} aria-hidden>
        {voiceInitial(name)}
      </span>
      <span className="speaker-list-name">{name}</span>
      <span className="secondary speaker-list-about">{about}</span>
    </Command.Item>
  );
}
