import { clsx } from "clsx";
import { QRCodeSVG } from "qrcode.react";
import { useTranslation } from "react-i18next";
import { currentLanguage, languages } from "#/i18n";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { fullName } from "../queries";
import { printedPassword } from "./printed-password";
import { signInAddress, signInUrl } from "./sign-in-url";

/** Longer texts need a smaller size to fit on one line. */
const lineOfCompany = 46;
const lineOfName = 22;
const credentialSizes = [
  { upTo: 21, className: "text-[10.5pt] leading-[12.5pt]" },
  { upTo: 24, className: "text-[9pt] leading-[10.5pt]" },
  { upTo: 28, className: "text-[8pt] leading-[9.5pt]" },
  { upTo: Infinity, className: "text-[7.5pt] leading-[9pt]" },
];

/**
 * 3.5 × 2.2 inches, the size of a business card, in all languages, because crews share cabs.
 * Usernames and passwords are never cut: long ones get smaller and wrap. Long names are truncated.
 */
export function AccessCard({
  operator,
  companyName,
  password,
  code,
}: {
  operator: Employee;
  companyName: string;
  /** Null: the operator has a personal password, which can't be printed. */
  password: string | null;
  /** Signs the operator in once. */
  code: string | undefined;
}) {
  const { i18n } = useTranslation();
  const texts = languages
    .toSorted((one, other) => rank(one) - rank(other))
    .map((language) => ({ language, t: i18n.getFixedT(language) }));
  const username = operator.operatorUsername ?? "";
  const name = fullName(operator);
  const { origin } = window.location;
  const shared = password === null ? null : printedPassword(password);
  return (
    <article className="flex h-[2.2in] w-[3.5in] shrink-0 break-inside-avoid flex-col overflow-hidden border border-dashed border-[#666] bg-[#fff] px-[0.14in] py-[0.11in] text-[7.5pt] leading-[9.5pt] text-[#000]">
      <p
        dir="auto"
        className={clsx(
          "truncate border-b border-[#bbb] pb-[2pt] text-left font-semibold",
          companyName.length > lineOfCompany ? "text-[7pt]" : "text-[8.5pt]",
        )}
      >
        {companyName}
      </p>
      <div className="flex min-h-0 flex-1 justify-between gap-[0.08in]">
        <div className="flex min-w-0 flex-1 flex-col justify-center gap-[4pt]">
          <p
            dir="auto"
            className={clsx(
              "text-left font-bold wrap-anywhere",
              name.length > lineOfName
                ? "line-clamp-2 text-[10pt] leading-[12pt]"
                : "text-[13pt] leading-[15pt]",
            )}
          >
            {name}
          </p>
          <dl className="space-y-[3pt]">
            <Credential
              label={texts.map(({ t }) => t("operators.cards.username")).join(" / ")}
              value={username}
            />
            {shared ? (
              <Credential
                label={texts.map(({ t }) => t("operators.cards.password")).join(" / ")}
                value={shared.text}
              />
            ) : (
              <div>
                <dt>{texts.map(({ t }) => t("operators.cards.password")).join(" / ")}</dt>
                <dd className="text-[8.5pt] leading-[10pt] font-semibold">
                  {texts.map(({ t }) => t("operators.cards.personal")).join(" / ")}
                </dd>
              </div>
            )}
          </dl>
        </div>
        <div className="flex w-[1.05in] shrink-0 flex-col items-center justify-center">
          <QRCodeSVG
            value={signInUrl(origin, username, code)}
            level="M"
            marginSize={4}
            className="size-[1.05in]"
          />
          <p className="-mt-[3pt] text-center text-[6.5pt] leading-[7.5pt]">
            {texts.map(({ language, t }) => (
              <span key={language} lang={language} className="block whitespace-nowrap">
                {t("operators.cards.scan")}
              </span>
            ))}
          </p>
        </div>
      </div>
      {texts.map(({ language, t }) => (
        <p key={language} lang={language} className="mt-[1.5pt] text-[6.75pt] leading-[8pt]">
          <span>{t("operators.cards.stepOpen", { address: signInAddress(origin) })}</span>{" "}
          <span>
            {shared ? t("operators.cards.stepSignIn") : t("operators.cards.stepPersonal")}
          </span>
          {shared?.hasSpaces && ` ${t("operators.cards.space")}`}
        </p>
      ))}
    </article>
  );
}

/** The language of the person who prints comes first. */
function rank(language: string): number {
  return language === currentLanguage() ? 0 : 1;
}

/** Monospaced, so that 0 and O, 1 and l differ. */
function Credential({ label, value }: { label: string; value: string }) {
  const length = Array.from(value).length;
  return (
    <div>
      <dt>{label}</dt>
      <dd
        dir="ltr"
        className={clsx(
          "font-mono font-semibold break-all",
          credentialSizes.find(({ upTo }) => length <= upTo)?.className,
        )}
      >
        {value}
      </dd>
    </div>
  );
}
