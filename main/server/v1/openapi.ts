// The OpenAPI 3.1 document of /v1, generated from the schemas that validate requests and type responses. docs-page.ts
// renders it.

import { z } from "zod";

import { clientSecretRequest, clientSecretResponse } from "../../contract/realtime.ts";
import * as shapes from "../../contract/openai.ts";

export type JsonSchema = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
};

type Content = Record<string, { schema: JsonSchema }>;

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: readonly {
    name: string;
    in: "path" | "query";
    required?: true;
    description: string;
    schema: JsonSchema;
  }[];
  requestBody?: { required: true; content: Content };
  responses: Record<string, { description: string; content: Content }>;
  security?: readonly [];
};

export type OpenApiDocument = {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: readonly { url: string }[];
  security: readonly Record<string, readonly string[]>[];
  components: { securitySchemes: Record<string, object> };
  paths: Paths;
};
type Paths = Record<string, { get?: Operation; post?: Operation }>;

const toJsonSchema = (schema: z.ZodType, io: "input" | "output" = "output"): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
};

const jsonContent = (schema: z.ZodType): Content => ({
  "application/json": { schema: toJsonSchema(schema) },
});
const text: Content = { "text/plain": { schema: { type: "string" } } };
const defaultResponse = {
  default: { description: "What went wrong.", content: jsonContent(shapes.errorResponse) },
};

/** In forms, a list's field name has brackets, and appears once per value. */
function formContent(schema: z.ZodType): Content {
  const { properties = {}, ...rest } = toJsonSchema(schema, "input");
  const named = Object.entries(properties).map(
    ([name, field]) => [field.type === "array" ? `${name}[]` : name, field] as const,
  );
  return { "multipart/form-data": { schema: { ...rest, properties: Object.fromEntries(named) } } };
}

const transcript: Content = {
  "application/json": {
    schema: {
      anyOf: [
        toJsonSchema(shapes.transcriptionResponse),
        toJsonSchema(shapes.verboseTranscriptionResponse),
        toJsonSchema(shapes.diarizedTranscriptionResponse),
      ],
    },
  },
  ...text,
};

const audio = {
  "audio/*": {
    schema: { type: "string", description: "The audio file, streamed while it is generated." },
  },
};

/** Request and response of the two transcription endpoints. */
const transcriptionOperation: Pick<Operation, "requestBody" | "responses"> = {
  requestBody: { required: true, content: formContent(shapes.transcriptionRequest) },
  responses: {
    200: {
      description:
        "The transcript in the requested format. The header `x-hearsay-partial` lists ranges that could not be " +
        "transcribed.",
      content: {
        ...transcript,
        "text/event-stream": { schema: toJsonSchema(shapes.transcriptEvent) },
      },
    },
    ...defaultResponse,
  },
};

const voiceFilters = [
  { name: "model", description: "Only voices of this model." },
  {
    name: "language",
    description: "Only voices of this language: `en`, or `en-GB` with its region.",
  },
].map((filter) => ({ ...filter, in: "query" as const, schema: { type: "string" } }));

export function openApiDocument(version: string): OpenApiDocument {
  return {
    openapi: "3.1.0",
    info: {
      title: "Hearsay",
      version,
      description:
        "Speech to text and text to speech on your own machine, compatible with OpenAI clients.",
    },
    servers: [{ url: "/v1" }],
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
    paths: { ...audioPaths(), ...realtimePaths(), ...modelPaths() },
  };
}

const audioPaths = (): Paths => ({
  "/audio/transcriptions": {
    post: {
      operationId: "createTranscription",
      summary: "Speech to text",
      description:
        "Transcribes an uploaded recording in the language spoken. `whisper-1` uses `prompt` in every " +
        "language except English, where it is ignored; `whisper-base` always uses it.",
      ...transcriptionOperation,
    },
  },
  "/audio/translations": {
    post: {
      operationId: "createTranslation",
      summary: "Speech to English text",
      description: "Translates the speech of an uploaded recording into English text.",
      ...transcriptionOperation,
    },
  },
  "/audio/speech": {
    post: {
      operationId: "createSpeech",
      summary: "Text to speech",
      description:
        "Generates speech from a text, streamed while it is generated. `x-hearsay-voice` names a voice that takes " +
        "over for a language that the requested one does not know; `x-hearsay-warning` says that none knows it.",
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: toJsonSchema(shapes.speechRequest, "input") },
        },
      },
      responses: {
        200: {
          description: "The audio.",
          content: {
            ...audio,
            "text/event-stream": { schema: toJsonSchema(shapes.speechEvent) },
          },
        },
        ...defaultResponse,
      },
    },
  },
});

const realtimePaths = (): Paths => ({
  "/realtime/client_secrets": {
    post: {
      operationId: "createRealtimeClientSecret",
      summary: "Client secret for live transcription",
      description:
        "A short-lived key for browsers, which opens `/v1/realtime` and nothing else. What its sessions do is " +
        "charged to the key that created it.",
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: toJsonSchema(clientSecretRequest, "input") },
        },
      },
      responses: {
        200: {
          description: "The secret, when it expires (Unix seconds), and the session.",
          content: jsonContent(clientSecretResponse),
        },
        ...defaultResponse,
      },
    },
  },
});

const modelPaths = (): Paths => ({
  "/audio/voices": {
    get: {
      operationId: "listVoices",
      summary: "List voices",
      parameters: voiceFilters,
      responses: {
        200: { description: "Every voice.", content: jsonContent(shapes.voiceList) },
        ...defaultResponse,
      },
    },
  },
  "/models": {
    get: {
      operationId: "listModels",
      summary: "List models",
      description: "Every model on this machine and on every enabled channel.",
      responses: {
        200: { description: "Every model.", content: jsonContent(shapes.modelList) },
        ...defaultResponse,
      },
    },
  },
  "/models/{model}": {
    get: {
      operationId: "retrieveModel",
      summary: "Retrieve a model",
      parameters: [
        {
          name: "model",
          in: "path",
          required: true,
          description: "The model's id; slashes may be sent as they are or as `%2F`.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: { description: "The model.", content: jsonContent(shapes.modelObject) },
        ...defaultResponse,
      },
    },
  },
});
