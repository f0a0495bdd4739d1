// Voices of this machine, which OpenAI's clients know by the same names.

export const localVoices = ["alloy", "echo", "fable", "nova", "onyx", "shimmer"] as const;
