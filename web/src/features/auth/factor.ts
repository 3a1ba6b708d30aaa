import { useState } from "react";
import { toFailure } from "#/api/errors";

/** The kinds of second factor, by the server's names. */
export type FactorKind = "totp" | "passkey" | "recoveryCode";

/** The values in the form; empty if not requested. */
export interface FactorValues {
  totp: string;
  recoveryCode: string;
}

export const noFactor: FactorValues = { totp: "", recoveryCode: "" };

/** The sign-in name, the possible kinds and the chosen one. */
export interface AskedFactor {
  name: string;
  kinds: readonly FactorKind[];
  chosen: FactorKind;
}

const allKinds = ["totp", "passkey", "recoveryCode"] as const;

/** Support staff only have an authenticator, and the server sends no kinds for them. */
function kindsOf(fields: Record<string, unknown>): readonly FactorKind[] {
  const named = allKinds.filter((kind) => kind in fields);
  return named.length > 0 ? named : ["totp"];
}

/** The digits of a code as typed or pasted: "123 456". */
export function codeDigits(text: string): string {
  return text.replace(/\s/g, "");
}

export const sixDigits = (code: string): boolean => /^\d{6}$/.test(codeDigits(code));

type Verdict = "asked" | "wrong" | "other";

/**
 * State of the second factor. If the name changes, the form asks for the password only, so that a
 * code is never sent with another user's password.
 */
export function useAskedFactor() {
  const [asked, setAsked] = useState<AskedFactor | null>(null);
  const [verdict, setVerdict] = useState<Verdict>("other");
  return {
    asked,
    /** Whether the last refusal was about the second factor. */
    verdict,
    choose(chosen: FactorKind): void {
      setAsked((before) => before && { ...before, chosen });
    },
    /** `sent`: a second factor was part of the request. */
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

/**
 * The part of the request for the second factor: only the chosen kind, and only for the name that
 * the server asked about.
 */
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
