import { useState } from "react";
import { toFailure } from "#/api/errors";

/** The password was right, but support staff also give a code. */
function needsCode(error: unknown): boolean {
  return toFailure(error).code === "TOTP_REQUIRED";
}

/** The digits of a code as it may be typed or pasted: "123 456". */
export function codeDigits(text: string): string {
  return text.replace(/\s/g, "");
}

type Verdict = "codeAsked" | "wrongCode" | "other";

/**
 * For whom the server asked a code. Under another name the form is an ordinary one again, so a code
 * is never sent along with somebody else's password.
 */
export function useAskedCode() {
  const [askedFor, setAskedFor] = useState<string | null>(null);
  const [verdict, setVerdict] = useState<Verdict>("other");
  return {
    askedFor,
    /** About the last refusal. */
    verdict,
    judge(error: unknown, name: string, sentCode: string): Verdict {
      const asks = needsCode(error);
      if (asks) setAskedFor(name);
      const next = verdictOf(asks, toFailure(error).status, sentCode);
      setVerdict(next);
      return next;
    },
  };
}

function verdictOf(asks: boolean, status: number, sentCode: string): Verdict {
  if (sentCode === "") return asks ? "codeAsked" : "other";
  return asks || status === 401 ? "wrongCode" : "other";
}
