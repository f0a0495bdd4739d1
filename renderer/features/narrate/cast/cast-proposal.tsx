// The cast that a novel seems to have, accepted in one click.

import { UsersRound } from "lucide-react";
import { useEffect, useState } from "react";
import type { CastProposal, Role } from "../../../../main/contract/narration.ts";
import { call } from "../../../api/client.ts";
import { t } from "../../../messages/messages.ts";
import { useTask } from "../../../stores/task.ts";
import { Button } from "../../../ui/button.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { useNarration, useScript } from "../use-narration.ts";
import type { Recast } from "./use-recast.tsx";
import { unusedVoice, type Speakers } from "./use-speakers.ts";

type Found = CastProposal & { readonly of: string };
const maxListed = 6;

export function CastProposalNotice({ speakers, recast }: { speakers: Speakers; recast: Recast }) {
  const { item, open } = useNarration();
  const script = useScript((state) => state.script);
  const isSaved = useScript((state) => state.saving === "saved");
  const { error, run, cancel } = useTask();
  const [found, setFound] = useState<Found>();
  const { cast, narrator } = speakers;
  const isWanted = cast.length === 0 && isSaved && found?.of !== script;
  useEffect(() => {
    if (!isWanted) return undefined;
    // What is typed from now on is not in the answer.
    const of = open.store.getState().script;
    void run(async (signal) =>
      setFound({ ...(await call("proposeCast", { narrator }, item.id, signal)), of }),
    );
    return cancel;
  }, [isWanted, run, cancel, narrator, item.id, open]);
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>;
  if (cast.length > 0 || found === undefined || found.of !== script || found.roles.length === 0)
    return null;
  const { roles } = found;
  const accept = (): void =>
    recast(t("narrate.cast.accepted", { count: roles.length }), {
      script: found.script,
      cast: castVoices(speakers, roles),
    });
  return (
    <div className="cast-proposal">
      <p>{t("narrate.cast.proposal", { count: roles.length })}</p>
      <ul>
        {roles.slice(0, maxListed).map(({ name, lineCount }) => (
          <li key={name}>
            <span>{name}</span>
            <span className="secondary figures">
              {t("narrate.cast.proposal.lines", { count: lineCount })}
            </span>
          </li>
        ))}
      </ul>
      {roles.length > maxListed && (
        <p className="secondary">
          {t("narrate.cast.proposal.more", { count: roles.length - maxListed })}
        </p>
      )}
      <Button kind="primary" isSmall icon={<UsersRound aria-hidden />} onClick={accept}>
        {t("narrate.cast.accept")}
      </Button>
    </div>
  );
}

/** Each role gets another voice, of its gender where that is known, as long as there are some. */
function castVoices(speakers: Speakers, roles: CastProposal["roles"]): readonly Role[] {
  const cast: Role[] = [{ name: speakers.narrator }];
  for (const { name, gender } of roles)
    cast.push({ name, voice: unusedVoice({ ...speakers, cast }, gender) });
  return cast;
}
