import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useWatch } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import { useErrorText } from "#/api/error-text";
import type { User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { DigestService, type DigestSchedule } from "#/api/gen/hourmeter/notifications/v1/digest_pb";
import { watchQuery } from "#/api/watch";
import { currentLanguage } from "#/i18n";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { LeaveGuard } from "#/shared/form/leave-guard";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { PageLink } from "#/shared/ui/page-link";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useScrollToHash } from "#/shared/ui/use-scroll-to-hash";
import { zoneText } from "./company-card";
import { digestSchema, digestValues, scheduleOf, weekdays } from "./digest-schedule";
import { digestScheduleQuery } from "./queries";
import { useOwnMail } from "./use-own-mail";

const cardId = "digest";

export function DigestCard({ user }: { user: User }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const query = useQuery(digestScheduleQuery(transport));
  const hasChosen = useQuery(watchQuery(transport)).data?.watch !== undefined;
  const schedule = query.data?.schedule;
  useScrollToHash(cardId);
  return (
    <Card
      id={cardId}
      title={t("digest.title")}
      description={
        <>
          {t("digest.text")}{" "}
          {hasChosen && (
            <PageLink
              to="/notifications"
              className="font-semibold text-accent underline underline-offset-3"
            >
              {t("digest.watched")}
            </PageLink>
          )}
        </>
      }
    >
      {!user.emailVerified && (
        <div className="mb-4">
          <Notice>{t("digest.unverified")}</Notice>
        </div>
      )}
      {query.isPending && <SkeletonRows rows={4} label={t("common.loading")} />}
      {query.error && !schedule && (
        <ErrorPanel
          title={t("digest.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {schedule && (
        <ScheduleForm schedule={schedule} former={query.data?.formerWeekdays ?? []} user={user} />
      )}
    </Card>
  );
}

function ScheduleForm({
  schedule,
  former,
  user,
}: {
  schedule: DigestSchedule;
  /** The weekdays before a link in the mail ended it. */
  former: readonly number[];
  user: User;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const daysId = useId();
  const form = useAppForm(digestSchema, digestValues(schedule));
  const days = useWatch({ control: form.control, name: "days" });
  const { isDirty } = form.formState;
  const zone = useQuery(companySettingsQuery(useTransport())).data?.settings?.timeZone;
  const save = useWrite(DigestService.method.setDigestSchedule, {
    onSuccess: () => toast.success(t("digest.saved"), t("profile.edit.doneText")),
    onError: (error) => toast.failure(t("profile.edit.failed"), errorText(error)),
  });
  return (
    <>
      <LeaveGuard dirty={() => isDirty && !save.isPending} />
      <FormPage
        onSubmit={form.handleSubmit((values) => {
          if (save.isPending) return;
          save.mutate({ schedule: scheduleOf(values) }, { onSuccess: () => form.reset(values) });
        })}
        loading={save.isPending}
        submitError={save.error && errorText(save.error)}
        toasted
        submitLabel={t("settings.save")}
        pendingLabel={t("profile.edit.saving")}
        disabledReason={isDirty ? undefined : t("settings.unchanged")}
        secondary={<SendNow user={user} />}
      >
        <div role="group" aria-labelledby={daysId}>
          <p id={daysId} className="font-semibold">
            {t("digest.days")}
          </p>
          <div className="flex flex-wrap gap-x-5">
            {weekdays.map((day, index) => (
              <CheckboxField
                key={day}
                control={form.control}
                name={`days.${index}`}
                label={<Weekday day={day} />}
              />
            ))}
          </div>
          {!days.some(Boolean) && (
            <p role="status" className="text-sm text-muted">
              {former.length > 0 ? t("digest.ended") : t("digest.none")}
            </p>
          )}
          {!days.some(Boolean) && former.length > 0 && (
            <Button
              size="small"
              className="mt-2"
              onClick={() =>
                form.setValue(
                  "days",
                  weekdays.map((day) => former.includes(day)),
                  { shouldDirty: true },
                )
              }
            >
              {t("digest.formerDays")}
            </Button>
          )}
        </div>
        <div className="md:max-w-96">
          <TextField
            control={form.control}
            name="time"
            type="time"
            label={t("digest.time")}
            hint={zone ? t("digest.namedZone", { zone: zoneText(zone) }) : t("digest.zone")}
          />
        </div>
      </FormPage>
    </>
  );
}

function Weekday({ day }: { day: number }) {
  // The first of this month is a Monday.
  const date = Date.UTC(2024, 0, day);
  const name = (weekday: "short" | "long") =>
    new Intl.DateTimeFormat(currentLanguage(), { weekday, timeZone: "UTC" }).format(date);
  return (
    <>
      <span aria-hidden>{name("short")}</span>
      <span className="sr-only">{name("long")}</span>
    </>
  );
}

function SendNow({ user }: { user: User }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const mail = useOwnMail(user);
  const send = useWrite(DigestService.method.sendDigest, {
    onSuccess: ({ sandbox }) => mail.toastSent(sandbox, t("digest.sent", { email: user.email })),
    onError: (error) => toast.failure(t("digest.sendFailed"), errorText(error)),
  });
  return (
    <Button
      onClick={() => mail.request(() => send.mutate({}))}
      pending={mail.preparing || send.isPending}
      pendingLabel={t("profile.verification.sending")}
      disabledReason={user.emailVerified ? undefined : t("digest.unverified")}
    >
      {t("digest.send")}
    </Button>
  );
}
