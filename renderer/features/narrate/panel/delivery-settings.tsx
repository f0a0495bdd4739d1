// Pauses and loudness of a narration or a role. They change no take, only how takes are put together.

import { useState } from "react";
import { defaultPausesSec, type Role } from "../../../../main/contract/narration.ts";
import { t } from "../../../messages/messages.ts";
import { Slider } from "../../../ui/slider.tsx";

type Delivery = Pick<Role, "sentencePauseSec" | "paragraphPauseSec" | "gainDb">;

const pauses = ["sentencePauseSec", "paragraphPauseSec"] as const;

/** @param inherited what applies where `value` says nothing */
export function DeliverySettings({
  value,
  inherited = {},
  speed,
  onChange,
}: {
  value: Delivery;
  inherited?: Delivery;
  speed: number;
  onChange: (change: Delivery) => void;
}) {
  return (
    <>
      {pauses.map((name) => (
        <CommittedSlider
          key={name}
          label={t(`narrate.delivery.${name}`)}
          value={value[name] ?? inherited[name] ?? defaultPausesSec[name] / speed}
          min={0}
          max={5}
          step={0.05}
          defaultValue={inherited[name] ?? defaultPausesSec[name] / speed}
          unit="s"
          onCommit={(sec) => onChange({ [name]: sec })}
        />
      ))}
      <CommittedSlider
        label={t("narrate.delivery.gainDb")}
        value={value.gainDb ?? inherited.gainDb ?? 0}
        min={-12}
        max={6}
        step={0.5}
        defaultValue={inherited.gainDb ?? 0}
        unit="dB"
        onCommit={(gainDb) => onChange({ gainDb })}
      />
    </>
  );
}

/** Shows what is dragged, and changes the value once. */
function CommittedSlider({
  value,
  onCommit,
  ...rest
}: Omit<Parameters<typeof Slider>[0], "onChange"> & { onCommit: (value: number) => void }) {
  const [dragged, setDragged] = useState<number>();
  return (
    <Slider
      {...rest}
      value={dragged ?? value}
      onChange={setDragged}
      onCommit={(next) => {
        setDragged(undefined);
        onCommit(next);
      }}
    />
  );
}
