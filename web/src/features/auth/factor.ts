import { useState } from "react";
import { toFailure } from "#/api/errors";

/** What a person may have beside the password, named as the server names it. */
export type FactorKind = "totp" | "passkey" | "recoveryCode";

/** What a form knows of it beside the password; empty where it was not asked for. */
export interface FactorValues {
  totp: string;
  recoveryCode: string;
}

export const noFactor: FactorValues = { totp: "", recoveryCode: "" };

/** For whom the server asked a second factor, which kinds would do, and which is chosen. */
export interface AskedFactor {
  name: string;
  kinds: readonly FactorKind[];
  chosen: FactorKind;
}

const allKinds = ["totp", "passkey", "recoveryCode"] as const;

/** Support staff have an authenticator only, and the server names no kinds for them. */
function kindsOf(fields: Record<string, unknown>): readonly FactorKind[] {
  const named = allKinds.filter((kind) => kind in fields);
  return named.length > 0 ? named : ["totp"];
}

/** The digits of a code as it may be typed or pasted: "123 456". */
export function codeDigits(text: string): string {
  return text.replace(/\s/g, "");
}

export const sixDigits = (code: string): boolean => /^\d{6}$/.test(codeDigits(code));

type Verdict = "asked" | "wrong" | "other";

/**
 * Whether the server asked a second factor. Under another name the form is an ordinary one again, so
 * a code is never sent along with somebody else's password.
 */
export function useAskedFactor() {
  const [asked, setAsked] = useState<AskedFactor | null>(null);
  const [verdict, setVerdict] = useState<Verdict>("other");
  return {
    asked,
    /** About the last refusal. */
    verdict,
    choose(chosen: FactorKind): void {
      setAsked((before) => before && { ...before, chosen });
    },
    /** `sent`: something was given beside the password. */
    judge(error: unknown, name: string, sent: boolean): Verdict {
      const { code, status, fields } = toFailure(error);
      const cancelled = error instanceof Error && error.name === "PasskeyCancelled";
      const asks = code === "TOTP_REQUIRED";
      if (asks && (asked === null || asked.name !== name)) {
        const kinds = kindsOf(fields);
        const [first = "totp"] = kinds;
        setAsked({ name, kinds, chosen: first });
      }
      const wrong = asks || status === 401 || cancelled;
      const next = sent ? (wrong ? "wrong" : "other") : asks ? "asked" : "other";
      setVerdict(next);
      return next;
    },
  };
}

/** What goes along with the password: only what was chosen, and only for whom it was asked. */
export function sentFactor(
  asked: AskedFactor | null,
  { totp, recoveryCode }: FactorValues,
): Partial<FactorValues> {
  switch (asked?.chosen) {
    case "totp":
      return { totp: codeDigits(totp) };
    case "recoveryCode":
      return { recoveryCode: recoveryCode.trim() };
    case "passkey":
    case undefined:
      return {};
  }
}
