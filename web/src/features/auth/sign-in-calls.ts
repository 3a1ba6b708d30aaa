import * as v from "valibot";
import { rest } from "#/api/rest";
import { withExclusiveSessionLock } from "#/session/session-lock";
import { userSchema, type User } from "#/session/user";
import type { PasskeyAnswer } from "#/shared/passkeys";
import { sentFactor, type AskedFactor, type FactorValues } from "./factor";

/** The values of the sign-in forms. */
export interface SignInValues extends FactorValues {
  /** An email address, a business name or a username. */
  signInName: string;
  password: string;
  rememberMe: boolean;
}

export async function loginOwner(values: SignInValues, asked: AskedFactor | null): Promise<User> {
  const { emailOrBusinessName, ...others } = await credentials(values, asked);
  const body = { emailOrBusinessName, ...others };
  return withExclusiveSessionLock(() => rest("POST", "/api/auth/login", userSchema, { body }));
}

const operatorSchema = v.object({ redirect: v.string(), user: userSchema });

export async function loginOperator(
  values: SignInValues,
  asked: AskedFactor | null,
): Promise<v.InferOutput<typeof operatorSchema>> {
  const { emailOrBusinessName: operatorName, ...others } = await credentials(values, asked);
  const body = { operatorName, ...others };
  return withExclusiveSessionLock(() =>
    rest("POST", "/api/employee/login", operatorSchema, { body }),
  );
}

async function credentials(values: SignInValues, asked: AskedFactor | null) {
  const { password, rememberMe } = values;
  // No name starts or ends with a space, but phone keyboards add one after a completed word.
  const emailOrBusinessName = values.signInName.trim();
  const factor =
    asked?.chosen === "passkey"
      ? { passkey: await passkeyAnswer({ emailOrBusinessName, password }) }
      : sentFactor(asked, values);
  return { emailOrBusinessName, password, rememberMe, ...factor };
}

async function passkeyAnswer(body: {
  emailOrBusinessName: string;
  password: string;
}): Promise<PasskeyAnswer> {
  // Few users have a passkey, so this code is loaded on demand.
  const { askPasskey, passkeyRequestSchema } = await import("#/shared/passkeys");
  return askPasskey(
    await rest("POST", "/api/auth/passkey-options", passkeyRequestSchema, { body }),
  );
}

/** The path after an operator sign-in; only paths on this site are accepted. */
export function safeRedirect(redirect: string): string {
  const { origin } = window.location;
  // Browsers remove tabs and line breaks from URLs, so "/<tab>/host" is another site too.
  const stays = URL.canParse(redirect, origin) && new URL(redirect, origin).origin === origin;
  return stays && /^\/(?![/\\])/.test(redirect) ? redirect : "/simple-operator";
}
