import { BellRing, X } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { User } from "#/session/session";
import type { Audience } from "#/domain/permissions";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { PageLink } from "#/shared/ui/page-link";
import { noticeText, type NoticeText } from "./notice-texts";
import { useDismissNotice } from "#/shared/use-dismiss-notice";

type Notice = User["notices"][number];

/** Security notices since the last sign-in, newest first. */
export function NoticeList({
  notices,
  audience,
}: {
  notices: readonly Notice[];
  audience: Audience;
}) {
  const { t } = useTranslation();
  const dismiss = useDismissNotice();
  const [all, setAll] = useState(false);
  const items = notices
    .flatMap((notice) => {
      const text = noticeText(notice.kind, audience);
      return text ? [{ notice, text }] : [];
    })
    .toSorted((one, other) => Date.parse(other.notice.at) - Date.parse(one.notice.at));
  // Several notices would fill a phone's screen.
  const shown = all || items.length <= 2 ? items : items.slice(0, 1);
  const more = items.length - shown.length;
  // The pressed button is about to be removed.
  const region = useRef<HTMLDivElement>(null);
  const restoreFocus = (here: boolean) => {
    const next = here ? region.current : document.querySelector("h1");
    next?.focus({ preventScroll: true });
  };
  return (
    <div ref={region} role="status" tabIndex={-1} className="no-print outline-none">
      {shown.length > 0 && (
        <ul className="border-b border-line bg-accent-soft">
          {shown.map(({ notice, text }) => (
            <NoticeRow
              key={notice.id}
              at={notice.at}
              text={text}
              onDismiss={() => {
                dismiss(notice);
                restoreFocus(items.length > 1);
              }}
            />
          ))}
          {more > 0 && (
            <li className="border-t border-line">
              <div className="mx-auto max-w-(--container-page) py-1 pr-4 pl-8 lg:pl-10">
                <Button
                  variant="quiet"
                  size="small"
                  onClick={() => {
                    setAll(true);
                    restoreFocus(true);
                  }}
                >
                  {t("notices.more", { count: more })}
                </Button>
              </div>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

function NoticeRow({
  at,
  text,
  onDismiss,
}: {
  at: string;
  text: NoticeText;
  onDismiss: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const title = t(text.title);
  return (
    <li className="border-line not-first:border-t">
      <div className="mx-auto grid max-w-(--container-page) grid-cols-[auto_1fr_auto] items-start gap-x-3 px-4 py-3 lg:px-6">
        <BellRing aria-hidden className="mt-1 size-4 shrink-0 text-accent" />
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-semibold">{title}</span>
          <time dateTime={at} className="text-sm text-muted">
            {format.instant(at)}
          </time>
        </p>
        {/* Full width below the button on narrow screens. */}
        <div className="col-span-2 col-start-2 row-start-2">
          <p className="mt-0.5 max-w-prose">{t(text.text)}</p>
          {text.action && (
            <PageLink
              to={text.action.to}
              className="inline-block py-1.5 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
            >
              {t(text.action.label)}
            </PageLink>
          )}
        </div>
        <Button
          variant="quiet"
          size="small"
          icon
          className="-my-2.5 -mr-2 md:-my-1"
          aria-label={t("notices.dismiss", { title })}
          onClick={onDismiss}
        >
          <X aria-hidden className="size-4" />
        </Button>
      </div>
    </li>
  );
}
