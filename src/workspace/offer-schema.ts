/** The fields of `prompts` and `resources` in tools.json, for the loader and for the JSON Schema of editors. */
import { z } from "zod";

const text = z.string("text");
const path = z.string("a path").min(1, "a path").meta({ description: "Path of a file in the workspace, relative to this file." });
const title = text.min(1, "text").max(200, "text of at most 200 characters").optional();
const mimeType = text
  // type/subtype of RFC 6838, section 4.2, without parameters.
  .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/, 'a type such as "text/markdown"')
  .meta({ description: "Type of the content. Absent: by the ending of the file." })
  .optional();

/** Names of prompts, as those of tools. */
const name = text
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'of 1 to 128 letters, digits, "_", "." and "-"')
  .meta({ description: "Unique without regard to case." });

const argument = z.object(
  {
    name: text
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'of 1 to 64 letters, digits and "_", not beginning with a digit')
      .meta({ description: "Stands in the text as {{name}}." }),
    description: text.min(1, "text").max(1_024, "text of at most 1024 characters").optional(),
    required: z
      .boolean("true or false")
      .meta({ description: "True: a client that can is asked for it where it is missing.", default: false })
      .optional(),
    values: z
      .array(text.max(256, "text of at most 256 characters"), "a list of texts")
      .max(1_000, "a list of at most 1000 texts")
      .meta({ description: "Values that clients suggest." })
      .optional(),
  },
  "an object that describes an argument",
);

const message = z.object(
  {
    role: z.enum(["user", "assistant"], '"user" or "assistant"').meta({ default: "user" }).optional(),
    text: text.meta({ description: "Text with {{argument}} places. Either this or `file`." }).optional(),
    file: path.optional(),
    uri: text
      .min(1, "a URI")
      .max(2_048, "a URI of at most 2048 characters")
      .meta({ description: "Gives the content as an embedded resource under this URI, which may have {{argument}} places." })
      .optional(),
    mimeType,
  },
  "an object with text or file",
);

/** One entry of `prompts`. */
export const promptEntrySchema = z.object(
  {
    name,
    title,
    description: text
      .min(1, "text that tells a person what the prompt is for")
      .max(4_096, "text of at most 4096 characters")
      .meta({ description: "What the prompt is for." }),
    arguments: z.array(argument, "a list of arguments").max(32, "a list of at most 32 arguments").optional(),
    file: path.meta({ description: "File of the one message; text with {{argument}} places. Either this or `messages`." }).optional(),
    messages: z.array(message, "a list of messages").min(1, "a list with a message").max(64, "a list of at most 64 messages").optional(),
  },
  "an object that describes a prompt",
);

/** One entry of `resources`. */
export const resourceEntrySchema = z.object(
  {
    uri: text.min(1, "a URI").max(2_048, "a URI of at most 2048 characters").meta({
      description:
        "URI under which clients read the file. With {name} places it is a template, whose values stand in the file as {{name}}.",
    }),
    name: text.min(1, "text").max(200, "text of at most 200 characters"),
    title,
    description: text.min(1, "text").max(4_096, "text of at most 4096 characters").optional(),
    mimeType,
    file: path,
  },
  "an object that describes a resource",
);
