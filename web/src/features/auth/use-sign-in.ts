import { useEffect, useRef, useState, type ChangeEvent, type SubmitEvent } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { key, type TextKey } from "#/i18n/key";
import { noFactor, sixDigits, useAskedFactor, type AskedFactor, type FactorKind } from "./factor";
import type { SignInValues } from "./sign-in-calls";

/** In the order on screen. */
const fields = ["signInName", "password", "totp", "recoveryCode"] as const;

type TextName = (typeof fields)[number];
type Mistakes = Partial<Record<TextName, TextKey>>;

interface SignIn<Answer> {
  initial: Pick<SignInValues, "signInName"> & Partial<SignInValues>;
  /** The message for an empty field; fields without one are optional. */
  required: Pick<Mistakes, "signInName" | "password">;
  /** The title of a refusal, and its text if the server gives no reason. */
  failed: TextKey;
  failedText: TextKey;
  /** The title if the server did not answer; `failed` if absent. */
  unanswered?: TextKey;
  send: (values: SignInValues, asked: AskedFactor | null) => Promise<Answer>;
  onSignedIn: (answer: Answer, values: SignInValues) => unknown;
}

export type SignInForm = ReturnType<typeof useSignIn>;

/**
 * State of a sign-in form: the values, the second factor once the server asks for it, and errors,
 * the first of which gets focus. Typed values are stored nowhere else.
 */
export function useSignIn<Answer>({
  initial,
  required,
  failed,
  failedText,
  unanswered = failed,
  send,
  onSignedIn,
}: SignIn<Answer>) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useRef<HTMLFormElement>(null);
  const factor = useAskedFactor();
  const [values, setValues] = useState<SignInValues>({
    password: "",
    rememberMe: false,
    ...noFactor,
    ...initial,
  });
  /** From a submission with errors to one without. */
  const [isChecked, setIsChecked] = useState(false);
  const [wrongFactor, setWrongFactor] = useState<Mistakes>({});
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<unknown>(null);
  // A code for another name must not be sent with this one.
  const asked = values.signInName === factor.asked?.name ? factor.asked : null;
  const found = mistakes(values, asked, required);
  const shown = isChecked ? found : wrongFactor;

  useEffect(() => {
    const forgetNoSignal = () =>
      setRefusal((error: unknown) => (toFailure(error).status === 0 ? null : error));
    window.addEventListener("online", forgetNoSignal);
    return () => window.removeEventListener("online", forgetNoSignal);
  }, []);

  const change = (changed: Partial<SignInValues>) => {
    setValues((before) => ({ ...before, ...changed }));
    setWrongFactor({});
  };
  const focus = (name: TextName) => {
    const input = form.current?.elements.namedItem(name);
    if (input instanceof HTMLElement) input.focus();
  };

  const refuse = (error: unknown) => {
    const verdict = factor.judge(error, values.signInName, asked !== null);
    const chosen = asked?.chosen ?? "passkey";
    if (verdict === "other" || (verdict === "wrong" && chosen === "passkey")) setRefusal(error);
    if (verdict !== "wrong" || chosen === "passkey") return;
    // Each code works once.
    change({ [chosen]: "" });
    setWrongFactor({ [chosen]: wrongText[chosen] });
    focus(chosen);
  };

  const refusalText =
    factor.verdict === "wrong" ? t(wrongText.passkey) : errorText(refusal, failedText);

  const submit = async () => {
    setPending(true);
    setRefusal(null);
    setWrongFactor({});
    try {
      await onSignedIn(await send(values, asked), values);
    } catch (error) {
      refuse(error);
    }
    setPending(false);
  };

  return {
    values,
    asked,
    pending,
    /** Props of the form for the refusal. */
    refusal: {
      submitError: refusal === null ? null : refusalText,
      errorTitle: t(isUnanswered(refusal) ? unanswered : failed),
    },
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault();
      form.current = event.currentTarget;
      const first = fields.find((name) => found[name]);
      setIsChecked(first !== undefined);
      if (first) focus(first);
      else void submit();
    },
    choose: (kind: FactorKind) => {
      factor.choose(kind);
      setIsChecked(false);
      setRefusal(null);
    },
    /** Props of a text field. */
    text: (name: TextName) => {
      const mistake = shown[name];
      return {
        name,
        value: values[name],
        error: mistake && t(mistake),
        onChange: ({ target }: ChangeEvent<HTMLInputElement>) => change({ [name]: target.value }),
      };
    },
    /** Props of the checkbox for a longer session. */
    remember: {
      name: "rememberMe",
      checked: values.rememberMe,
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
        change({ rememberMe: target.checked }),
    },
  };
}

const wrongText: Record<FactorKind, TextKey> = {
  totp: key("auth.ownerLogin.totpWrong"),
  recoveryCode: key("auth.factor.recoveryWrong"),
  passkey: key("auth.factor.passkeyWrong"),
};

function isUnanswered(error: unknown): boolean {
  return ["NETWORK", "TIMEOUT"].includes(toFailure(error).code ?? "");
}

function mistakes(
  { signInName, password, totp, recoveryCode }: SignInValues,
  asked: AskedFactor | null,
  required: Pick<Mistakes, "signInName" | "password">,
): Mistakes {
  const noCode = asked?.chosen === "totp" && !sixDigits(totp);
  const noRecovery = asked?.chosen === "recoveryCode" && recoveryCode.trim() === "";
  return {
    ...(required.signInName && signInName === "" && { signInName: required.signInName }),
    ...(required.password && password === "" && { password: required.password }),
    ...(noCode && { totp: key("auth.ownerLogin.totpRequired") }),
    ...(noRecovery && { recoveryCode: key("auth.factor.recoveryRequired") }),
  };
}
