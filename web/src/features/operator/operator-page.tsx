import { Suspense, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSession, type User } from "#/session/session";
import { afterFrame } from "#/shared/idle";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { withCurrentTimes, type Correction } from "./form/correction";
import { PageBanners } from "./page-banners";
import { draftsOf, type Drafts } from "./form/drafts";
import { InstallHint, LastSubmitted, loadParts, OwnUpdates } from "./lazy-parts";
import type { OutboxEntry } from "./send/outbox-entry";
import { useRejected, type Rejections } from "./offline-data/own-history";
import { RejectedMessage } from "./history/rejected-message";
import { useUserDeps } from "./offline-data/per-user";
import { UpdateForm } from "./form/update-form";
import { useOperatorPage, type OperatorPageState } from "./use-operator-page";
import { useOutbox } from "./send/use-outbox";

/** Without a connection the history may never arrive. */
const historyLimitMs = 1_000;

/** The shell puts its Logout button into `footer` on a phone, and `hint` below the form. */
export function OperatorPage({ hint, footer }: { hint?: ReactNode; footer?: ReactNode }) {
  const { t } = useTranslation();
  const user = useSession();
  if (!user) return null;
  const name = user.operatorUsername ?? user.businessName ?? "";
  return (
    <>
      <PageHeader
        title={t("shell.titles.equipmentUpdates")}
        description={
          <>
            {t("shell.welcome", { name })}
            <span className="block text-sm">{t("shell.loggedInAsOperator")}</span>
          </>
        }
      />
      <WorkspaceLoader key={user.id} user={user} hint={hint} />
      {footer}
    </>
  );
}

function WorkspaceLoader({ user, hint }: { user: User; hint: ReactNode }) {
  const { t } = useTranslation();
  const page = useOperatorPage(useOutbox(user.id));
  const drafts = draftsOf(useUserDeps());
  useEffect(() => drafts.start(), [drafts]);
  useEffect(() => afterFrame(loadParts), []);
  // Selects one field, because the drafts change with each keystroke.
  const loaded = useSyncExternalStore(drafts.subscribe, () => drafts.state().loaded);
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setLate, historyLimitMs, true);
    return () => clearTimeout(timer);
  }, []);
  const rejections = useRejected();
  // Their machines and a rejection are above the form, which must not move.
  const settled =
    rejections.loaded && [page.list, page.history].every(({ state }) => state !== "loading");
  // Typing before the draft is restored would be overwritten.
  if (loaded && (settled || late))
    return <OperatorWorkspace page={page} drafts={drafts} rejections={rejections} hint={hint} />;
  return (
    // The footer must not move when the form appears.
    <div className="min-h-dvh">
      <SkeletonRows label={t("common.loading")} />
    </div>
  );
}

function OperatorWorkspace({
  page,
  drafts,
  rejections: { rejected, corrected, markSeen, markCorrected },
  hint,
}: {
  page: OperatorPageState;
  drafts: Drafts;
  rejections: Rejections;
  hint: ReactNode;
}) {
  const { t } = useTranslation();
  // Reopens the draft that was edited last, a new entry or a correction.
  const [correction, setCorrection] = useState<Correction | null>(() => {
    const lastCorrection = drafts.state().drafts.at(-1)?.correction ?? null;
    return lastCorrection && withCurrentTimes(lastCorrection);
  });
  const [submitted, setSubmitted] = useState<OutboxEntry | null>(null);
  const top = useRef<HTMLDivElement>(null);
  const later = page.list.state !== "loading";
  const loading = <SkeletonRows rows={4} label={t("common.loading")} />;

  const correct = (next: Correction) => {
    setCorrection(next);
    setSubmitted(null);
    top.current?.scrollIntoView();
  };
  // A submit may end after another correction was opened. That correction stays open.
  const replaceCorrection = (next: Correction | null) =>
    setCorrection((open) => (open?.key === correction?.key ? next : open));
  const showSubmitted = (entry: OutboxEntry) => {
    setSubmitted(entry);
    replaceCorrection(null);
    if (correction?.updateId) markCorrected(correction.updateId, entry.clientId);
  };
  return (
    <>
      <PageBanners page={page} />
      <div
        ref={top}
        className="grid scroll-mt-32 gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]"
      >
        <div className="min-w-0">
          {!correction && (
            <RejectedMessage
              page={page}
              rejected={rejected}
              onCorrect={correct}
              onSeen={markSeen}
            />
          )}
          <Suspense>
            {submitted && !correction && (
              <LastSubmitted
                key={submitted.clientId}
                page={page}
                entry={submitted}
                onCorrect={correct}
                onClose={() => setSubmitted(null)}
              />
            )}
          </Suspense>
          <UpdateForm
            // A new form for each correction, so that no typed value gets into another entry.
            key={correction?.key ?? "new"}
            page={page}
            drafts={drafts}
            correction={correction}
            onCorrection={replaceCorrection}
            onBegin={() => setSubmitted(null)}
            onSubmitted={showSubmitted}
          />
          <Suspense>{later && <InstallHint page={page} />}</Suspense>
          <Suspense>{later && hint}</Suspense>
        </div>
        <Suspense fallback={loading}>
          {later ? (
            <OwnUpdates
              page={page}
              corrected={corrected}
              editingKey={correction?.key ?? null}
              onCorrect={correct}
              onDiscarded={(clientId) => {
                drafts.dropForm(clientId);
                if (correction?.key === clientId) setCorrection(null);
              }}
            />
          ) : (
            loading
          )}
        </Suspense>
      </div>
    </>
  );
}
