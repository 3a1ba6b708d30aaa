import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Mail, Mails } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  NotificationsService,
  type SandboxMail,
} from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageLink } from "#/shared/ui/page-link";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { SandboxMessage } from "./sandbox-message";

/** Without the punctuation after it. */
const link = /(https?:\/\/\S*[^\s.,;:!?)\]>])/;

/** The mail of the company where no SMTP server is set. */
export function MailboxPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const company = useSession()?.businessName ?? "";
  const transport = useTransport();
  const query = useQuery({
    ...createQueryOptions(NotificationsService.method.listSandboxMail, {}, { transport }),
    refetchInterval: 5_000,
  });
  const [open, setOpen] = useState<string | null>(null);
  if (query.error && toFailure(query.error).status === 404) {
    return (
      <SandboxMessage
        icon={<Mail aria-hidden />}
        title={t("sandbox.mail.none")}
        text={t("sandbox.mail.noneText")}
      />
    );
  }
  const mail = query.data?.mail;
  return (
    <main
      id="main"
      tabIndex={-1}
      className="mx-auto min-h-dvh max-w-3xl space-y-6 px-4 py-8 outline-none"
    >
      <div>
        <h1 tabIndex={-1} className="text-title font-[650]">
          {t("sandbox.mail.title")}
        </h1>
        <p className="mt-1 text-muted">{t("sandbox.mail.text", { company })}</p>
      </div>
      {query.error && (
        <ErrorPanel
          title={t("sandbox.mail.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      <div className="overflow-hidden rounded-card border border-line bg-raised empty:hidden">
        {query.isPending && <SkeletonRows label={t("common.loading")} />}
        {mail?.length === 0 && (
          <Empty
            icon={<Mails aria-hidden />}
            title={t("sandbox.mail.empty")}
            description={t("sandbox.mail.emptyText")}
            action={
              <Button asChild>
                <PageLink to="/profile">{t("sandbox.mail.profile")}</PageLink>
              </Button>
            }
          />
        )}
        {mail && mail.length > 0 && (
          <ul className="divide-y divide-line">
            {mail.map((each) => (
              <Item
                key={each.id}
                mail={each}
                isOpen={open === each.id}
                onToggle={() => setOpen(open === each.id ? null : each.id)}
              />
            ))}
          </ul>
        )}
      </div>
    </main>
  );
}

function Item({
  mail,
  isOpen,
  onToggle,
}: {
  mail: SandboxMail;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex w-full flex-wrap items-baseline justify-between gap-x-4 px-4 py-3.5 text-left hover:bg-sunken focus-visible:-outline-offset-2 md:px-5"
      >
        <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
          <span className="block font-semibold">{mail.subject}</span>
          <span className="block text-sm text-muted">{t("sandbox.mail.to", { to: mail.to })}</span>
        </span>
        {mail.sentAt && (
          <span className="text-sm text-muted">{format.instant(timestampDate(mail.sentAt))}</span>
        )}
      </button>
      {isOpen && (
        <p className="border-t border-line px-4 py-4 whitespace-pre-wrap wrap-anywhere md:px-5">
          {mail.plain.split(link).map((part, index) =>
            // Every second part is a link.
            index % 2 === 1 ? (
              <a
                // The parts of a text do not change.
                // oxlint-disable-next-line react/no-array-index-key
                key={index}
                href={part}
                rel="noreferrer"
                className="font-semibold text-accent underline underline-offset-3"
              >
                {part}
              </a>
            ) : (
              part
            ),
          )}
        </p>
      )}
    </li>
  );
}
