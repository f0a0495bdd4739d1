// Code samples with the user's own address and key: only what OpenAI's clients need.

export const codeLanguages = ["curl", "python", "javascript"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];
export const codeTasks = ["transcribe", "speak"] as const;
export type CodeTask = (typeof codeTasks)[number];

type ApiAccess = { baseUrl: string; key: string };

const samples: Record<CodeLanguage, Record<CodeTask, (access: ApiAccess) => string>> = {
  curl: {
    transcribe: ({ baseUrl, key }) => `curl ${baseUrl}/audio/transcriptions \\
  -H "Authorization: Bearer ${key}" \\
  -F file=@speech.mp3 \\
  -F model=whisper-1`,
    speak: ({ baseUrl, key }) => `curl ${baseUrl}/audio/speech \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "tts-1", "voice": "nova", "input": "Hello from my own machine."}' \\
  -o hello.mp3`,
  },
  python: {
    transcribe: ({ baseUrl, key }) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")

with open("speech.mp3", "rb") as file:
    transcript = client.audio.transcriptions.create(model="whisper-1", file=file)
print(transcript.text)`,
    speak: ({ baseUrl, key }) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${key}")

with client.audio.speech.with_streaming_response.create(
    model="tts-1", voice="nova", input="Hello from my own machine."
) as speech:
    speech.stream_to_file("hello.mp3")`,
  },
  javascript: {
    transcribe: ({ baseUrl, key }) => `import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' });

const transcript = await client.audio.transcriptions.create({
  model: 'whisper-1',
  file: createReadStream('speech.mp3'),
});
console.log(transcript.text);`,
    speak: ({ baseUrl, key }) => `import { writeFile } from 'node:fs/promises';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${key}' });

const speech = await client.audio.speech.create({
  model: 'tts-1',
  voice: 'nova',
  input: 'Hello from my own machine.',
});
await writeFile('hello.mp3', Buffer.from(await speech.arrayBuffer()));`,
  },
};

export const codeSample = (language: CodeLanguage, task: CodeTask, access: ApiAccess) =>
  samples[language][task](access);
