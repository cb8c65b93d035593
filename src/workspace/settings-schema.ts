/** The fields of toolyard.json, defined once, as for tools.json. */
import { z } from "zod";
import { limitNames } from "../core/limits.ts";
import { isSecretName } from "../core/secret-template.ts";
import { isolation, limitFields, limitNumber, repair, timeoutSeconds } from "./tools-schema.ts";

/** Format version of toolyard.json that this code reads. */
export const SETTINGS_FILE_VERSION = 1;

const limits = z.object(limitFields(limitNames()), "an object of limits").meta({ description: "Limits of this workspace." });

const network = z
  .object(
    {
      enabled: z.boolean("true or false").meta({ description: "False: no tool sends requests.", default: true }).optional(),
      allowHttp: z.boolean("true or false").meta({ description: "False: https only.", default: true }).optional(),
      requireAllowedHosts: z
        .boolean("true or false")
        .meta({ description: 'True: a tool without "allowedHosts" sends no requests.', default: false })
        .optional(),
      timeout: timeoutSeconds.meta({ description: "Longest time of one request, in seconds." }).optional(),
      maxRequests: limitNumber("requestsPerCall"),
      maxRedirects: limitNumber("redirects"),
      maxRequestBytes: limitNumber("requestBodyBytes"),
      maxResponseBytes: limitNumber("responseBodyBytes"),
    },
    "an object of network settings",
  )
  .meta({ description: "What requests of all tools may do at most." });

const agentName = z.string("text").min(1, "a name").max(128, "a name of at most 128 characters");

const agentLimits = z
  .object({ resultCharacters: limitNumber("resultCharacters") }, "an object of limits")
  .meta({ description: "Limits for calls of this agent; where a tool has one too, the smaller counts." })
  .optional();

const secretName = z.string("text").refine(isSecretName, 'of capital letters, digits and "_", such as API_TOKEN');

const agentSecrets = z
  .record(secretName, secretName, "an object of names of secrets")
  .meta({ description: "For calls of this agent, which stored secret stands behind a name in tools.json." })
  .optional();

const agentFields = { limits: agentLimits, secrets: agentSecrets };

const agents = z
  .union([
    z.array(z.object({ agentId: agentName, ...agentFields }, "an object with agentId"), "a list of agents"),
    z.object(
      { list: z.array(z.object({ id: agentName, ...agentFields }, "an object with id"), "a list of agents").optional() },
      "a list of agents",
    ),
  ])
  .meta({ description: "Names of the agents that use this workspace." });

const prefix = z
  .string("text")
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,31}$/, 'of 1 to 32 letters, digits, "_", "." and "-", beginning with a letter')
  .meta({
    description: "Stands before every tool's name for clients, so that two servers may have tools of one name. End it with a separator.",
  });

/** The file as a whole; keys that start with `x-` are free everywhere. */
export const settingsFileSchema = z.object(
  {
    $schema: z.string("text").meta({ description: "Address of the JSON Schema of this file, for editors." }).optional(),
    version: z.literal(SETTINGS_FILE_VERSION).optional(),
    limits: limits.optional(),
    sandbox: z.object({ isolation: isolation.optional() }, "an object").optional(),
    network: network.optional(),
    agents: agents.optional(),
    prefix: prefix.optional(),
    repair: repair.optional(),
  },
  "an object of settings",
);
