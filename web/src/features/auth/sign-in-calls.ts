import * as v from "valibot";
import { rest } from "#/api/rest";
import { signing } from "#/session/session-lock";
import { userSchema, type User } from "#/session/user";
import type { PasskeyAnswer } from "#/shared/passkeys";
import { sentFactor, type AskedFactor, type FactorValues } from "./factor";

/** What the forms to sign in hold. */
export interface SignInValues extends FactorValues {
  /** An email address, a business name or a username. */
  signInName: string;
  password: string;
  rememberMe: boolean;
}

export async function loginOwner(values: SignInValues, asked: AskedFactor | null): Promise<User> {
  const { emailOrBusinessName, ...others } = await credentials(values, asked);
  const body = { emailOrBusinessName, ...others };
  return signing(() => rest("POST", "/api/auth/login", userSchema, { body }));
}

const operatorSchema = v.object({ redirect: v.string(), user: userSchema });

export async function loginOperator(
  values: SignInValues,
  asked: AskedFactor | null,
): Promise<v.InferOutput<typeof operatorSchema>> {
  const { emailOrBusinessName: operatorName, ...others } = await credentials(values, asked);
  const body = { operatorName, ...others };
  return signing(() => rest("POST", "/api/employee/login", operatorSchema, { body }));
}

async function credentials(values: SignInValues, asked: AskedFactor | null) {
  const { password, rememberMe } = values;
  // No name begins or ends with a space, but phones add one after a word they complete.
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
  // Few people have one, so few load what asks for it.
  const { askPasskey, passkeyRequestSchema } = await import("#/shared/passkeys");
  return askPasskey(
    await rest("POST", "/api/auth/passkey-options", passkeyRequestSchema, { body }),
  );
}

/** Where the answer to an operator login leads. Anything but a path on this site is ignored. */
export function safeRedirect(redirect: string): string {
  const { origin } = window.location;
  // Browsers drop tabs and line breaks from an address, so that "/<tab>/host" is another site too.
  const stays = URL.canParse(redirect, origin) && new URL(redirect, origin).origin === origin;
  return stays && /^\/(?![/\\])/.test(redirect) ? redirect : "/simple-operator";
}
