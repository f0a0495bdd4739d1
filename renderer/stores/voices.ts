// Local voices, which have the same names as OpenAI's.

export const localVoices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"] as const;
