// A mixture of voices, written as the parts with their weights: `af_bella(2)+af_sky(1)`.

export type BlendPart = { readonly id: string; readonly weight: number };

const partPattern = /^([\w.-]+)(?:\((\d{1,3}(?:\.\d{1,3})?)\))?$/;
const maxParts = 8;

/** One part for the name of a single voice; none if the text names no voices. */
export function parseVoiceBlend(voice: string): readonly BlendPart[] {
  if (!/[+(]/.test(voice)) return [{ id: voice, weight: 1 }];
  const parts = voice.split("+").flatMap((part) => {
    const [, id, weight = "1"] = partPattern.exec(part.trim()) ?? [];
    return id === undefined || Number(weight) === 0 ? [] : [{ id, weight: Number(weight) }];
  });
  return parts.length === voice.split("+").length && parts.length <= maxParts ? parts : [];
}

/** `af_bella(2)` → `af_bella`; other names and blends stay as they are. */
export function toSingleVoice(voice: string): string {
  const [first, ...others] = parseVoiceBlend(voice);
  return first === undefined || others.length > 0 ? voice : first.id;
}

/** @param isKnown for a single voice */
export function knowsVoice(voice: string, isKnown: (id: string) => boolean): boolean {
  const parts = parseVoiceBlend(voice);
  return parts.length > 0 && parts.every(({ id }) => isKnown(id));
}
