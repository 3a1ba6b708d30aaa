import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { useId, type ReactNode } from "react";
import { useController, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { GetSmsNumberResponse } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import { useSession } from "#/session/session";
import { PageLink } from "#/shared/ui/page-link";
import { Checkbox } from "#/shared/ui/toggle";
import { isPushSupported } from "./push";
import { pushKeyQuery, pushStateQuery } from "./queries";
import type { SettingsValues } from "./settings-schema";

const linkClass = "font-semibold text-accent underline underline-offset-3";

/** What reaches the person, and where. */
export function SettingsTable({
  control,
  isOperator,
  canMail,
  sms,
}: {
  control: Control<SettingsValues>;
  isOperator: boolean;
  canMail: boolean;
  /** Absent where no text messages are sent. */
  sms: GetSmsNumberResponse | null;
}) {
  const { t } = useTranslation();
  const isOff = useIsDeviceOff();
  const mailNote = useId();
  const smsNote = useId();
  const email = t("notifications.settings.email");
  const devices = t("notifications.settings.devices");
  const texts = t("notifications.settings.sms");
  const flagged = t("notifications.settings.flagged");
  const returned = t("notifications.settings.returned");
  const status = t("notifications.settings.status");
  const places = [
    t("notifications.settings.list"),
    ...(isOperator ? [] : [email]),
    devices,
    ...(sms ? [texts] : []),
  ];
  const smsChoice = (name: "flaggedSms" | "returnedSms" | "statusSms", what: string) =>
    sms && (
      <Choice
        control={control}
        name={name}
        label={`${what}: ${texts}`}
        note={sms.verified ? undefined : smsNote}
        disabled={!sms.verified}
      />
    );
  return (
    <div className="space-y-2">
      <table className="w-full">
        <thead className="text-sm text-muted">
          <tr className="border-b border-line">
            <th scope="col">
              <span className="sr-only">{t("notifications.settings.what")}</span>
            </th>
            {places.map((place) => (
              <th key={place} scope="col" className="px-0.5 py-1.5 font-semibold sm:px-1">
                {place}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {isOperator ? (
            <>
              <Row name={returned} listed>
                <Choice control={control} name="returnedPush" label={`${returned}: ${devices}`} />
                {smsChoice("returnedSms", returned)}
              </Row>
              <Row name={status} listed>
                <Choice control={control} name="statusPush" label={`${status}: ${devices}`} />
                {smsChoice("statusSms", status)}
              </Row>
            </>
          ) : (
            <>
              <Row name={flagged} listed>
                <Choice
                  control={control}
                  name="flaggedMail"
                  label={`${flagged}: ${email}`}
                  note={mailNote}
                  disabled={!canMail}
                />
                <Choice control={control} name="flaggedPush" label={`${flagged}: ${devices}`} />
                {smsChoice("flaggedSms", flagged)}
              </Row>
              <Row name={status} listed>
                <Never />
                <Choice control={control} name="statusPush" label={`${status}: ${devices}`} />
                {smsChoice("statusSms", status)}
              </Row>
              <AlwaysMailed name={t("notifications.settings.security")} hasSms={sms !== null} />
              <AlwaysMailed name={t("notifications.settings.plan")} hasSms={sms !== null} />
              <Row name={t("notifications.settings.digest")}>
                <td colSpan={places.length - 1} className="px-1 py-1.5 text-center text-sm">
                  <PageLink to="/profile#digest" className={linkClass}>
                    {t("notifications.settings.digestWhen")}
                  </PageLink>
                </td>
              </Row>
            </>
          )}
        </tbody>
      </table>
      {!isOperator && (
        <p id={mailNote} className="text-sm text-muted">
          {canMail ? (
            t("notifications.settings.gathered")
          ) : (
            <>
              {t("notifications.settings.unverified")}{" "}
              <PageLink to="/profile" className={linkClass}>
                {t("notifications.settings.profile")}
              </PageLink>
            </>
          )}
        </p>
      )}
      {sms && !sms.verified && (
        <p id={smsNote} className="text-sm text-muted">
          {t("notifications.settings.smsNote")}
        </p>
      )}
      {isOff && <p className="text-sm text-muted">{t("notifications.settings.deviceOff")}</p>}
    </div>
  );
}

/** Whether the page offers to turn on notifications on this device. */
function useIsDeviceOff(): boolean {
  const userId = useSession()?.id ?? "";
  const enabled = isPushSupported();
  const key = useQuery({ ...pushKeyQuery(useTransport()), enabled }).data?.publicKey;
  const state = useQuery({ ...pushStateQuery(userId), enabled }).data;
  return Boolean(key) && state === "off";
}

function Row({
  name,
  listed = false,
  children,
}: {
  name: string;
  /** Whether the list of notifications has it. */
  listed?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const Icon = listed ? Check : Minus;
  return (
    <tr className="border-b border-line">
      <th scope="row" className="py-1.5 text-left font-normal">
        {name}
      </th>
      <td className="text-center">
        <Icon
          aria-hidden
          className={`inline-block size-4.5 ${listed ? "text-accent" : "text-muted"}`}
        />
        <span className="sr-only">
          {listed ? t("notifications.settings.always") : t("notifications.settings.never")}
        </span>
      </td>
      {children}
    </tr>
  );
}

/** What is mailed without a choice, and not pushed. */
function AlwaysMailed({ name, hasSms }: { name: string; hasSms: boolean }) {
  const { t } = useTranslation();
  return (
    <Row name={name} listed>
      <td className="px-0.5 py-1.5 text-center text-sm sm:px-1">
        {t("notifications.settings.alwaysSent")}
      </td>
      <Never />
      {hasSms && <Never />}
    </Row>
  );
}

function Never() {
  const { t } = useTranslation();
  return (
    <td className="text-center">
      <Minus aria-hidden className="inline-block size-4.5 text-muted" />
      <span className="sr-only">{t("notifications.settings.never")}</span>
    </td>
  );
}

function Choice({
  control,
  name,
  label,
  note,
  disabled = false,
}: {
  control: Control<SettingsValues>;
  name: Exclude<keyof SettingsValues, "quiet" | "from" | "until">;
  label: string;
  /** The id of the text about it. */
  note?: string | undefined;
  disabled?: boolean;
}) {
  const id = useId();
  const {
    field: { value, ...field },
  } = useController({ control, name });
  return (
    <td>
      <label htmlFor={id} className="grid min-h-11 place-items-center">
        <span className="sr-only">{label}</span>
        <Checkbox
          {...field}
          id={id}
          checked={value}
          disabled={disabled}
          aria-describedby={note}
          className={disabled ? "opacity-60" : ""}
        />
      </label>
    </td>
  );
}
