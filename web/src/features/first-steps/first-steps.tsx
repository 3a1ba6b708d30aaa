import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link, linkOptions } from "@tanstack/react-router";
import { Circle, CircleCheck, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { subscriptionQuery } from "#/api/subscription";
import { statusWord } from "#/domain/subscription-words";
import { key } from "#/i18n/key";
import type { User } from "#/session/session";
import { useDismissNotice } from "#/shared/use-dismiss-notice";
import { Button } from "#/shared/ui/button";
import { Skeleton } from "#/shared/ui/skeleton";
import { stepNames, useSteps, type StepName } from "./use-steps";

const steps = {
  machines: {
    title: key("first-steps.machines.title"),
    text: key("first-steps.machines.text"),
    action: key("first-steps.machines.action"),
    link: linkOptions({ to: "/add-equipment" }),
  },
  password: {
    title: key("first-steps.password.title"),
    text: key("first-steps.password.text"),
    action: key("first-steps.password.action"),
    link: linkOptions({ to: "/employees", search: { open: "password" } }),
  },
  operator: {
    title: key("first-steps.operator.title"),
    text: key("first-steps.operator.text"),
    action: key("first-steps.operator.action"),
    link: linkOptions({ to: "/employees", search: { open: "add" } }),
  },
  card: {
    title: key("first-steps.card.title"),
    text: key("first-steps.card.text"),
    action: key("first-steps.card.action"),
    link: linkOptions({ to: "/employees", search: { open: "print" } }),
  },
  reading: {
    title: key("first-steps.reading.title"),
    text: key("first-steps.reading.text"),
    action: key("first-steps.reading.action"),
    link: linkOptions({ to: "/equipment-list" }),
  },
  name: {
    title: key("first-steps.name.title"),
    text: key("first-steps.name.text"),
    action: key("first-steps.name.action"),
    link: linkOptions({ to: "/profile" }),
  },
  email: {
    title: key("first-steps.email.title"),
    text: key("first-steps.email.text"),
    action: key("first-steps.email.action"),
    link: linkOptions({ to: "/profile", hash: "security" }),
  },
  questions: {
    title: key("first-steps.questions.title"),
    text: key("first-steps.questions.text"),
    action: key("first-steps.questions.action"),
    link: linkOptions({ to: "/security-questions" }),
  },
} as const satisfies Record<StepName, object>;

/** Steps that another one must precede. */
const needs: Partial<Record<StepName, readonly StepName[]>> = {
  card: ["password", "operator"],
  reading: ["machines"],
};

/** The first steps of a new company's owner, until the list is dismissed. */
export function FirstSteps({ notice }: { notice: User["notices"][number] }) {
  const { t } = useTranslation();
  const dismiss = useDismissNotice();
  const done = useSteps();
  const subscription = useQuery(subscriptionQuery(useTransport()));
  if (!done || subscription.isPending) return <StepsLoading />;
  const open = stepNames.filter((name) => !done[name]);
  const count = stepNames.length - open.length;
  const [next] = open;
  const hide = () => {
    dismiss(notice);
    // The pressed button is about to be removed.
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  };
  return (
    <section
      aria-labelledby="first-steps"
      className="no-print overflow-hidden rounded-card border border-line bg-raised"
    >
      <header className="flex items-start gap-3 px-4 pt-4 pb-3 md:px-5">
        <div className="min-w-0 flex-1">
          <h2 id="first-steps" className="text-lg font-semibold">
            {t("first-steps.title")}
          </h2>
          <p className="mt-0.5 text-sm text-muted">
            {next
              ? t("first-steps.progress", { count: stepNames.length, done: count })
              : t("first-steps.allDone")}
            <TrialDays />
          </p>
        </div>
        <Button
          variant="quiet"
          size="small"
          icon
          className="-mt-1 -mr-2"
          aria-label={t("first-steps.hide")}
          onClick={hide}
        >
          <X aria-hidden className="size-4" />
        </Button>
      </header>
      <div aria-hidden className="h-1 bg-sunken">
        <div
          className="h-full bg-accent transition-[width]"
          style={{ width: `${(count / stepNames.length) * 100}%` }}
        />
      </div>
      <ol className="divide-y divide-line">
        {stepNames.map((name) => (
          <Step
            key={name}
            name={name}
            done={done[name]}
            isNext={name === next}
            ready={needs[name]?.every((needed) => done[needed]) ?? true}
          />
        ))}
      </ol>
    </section>
  );
}

function StepsLoading() {
  const { t } = useTranslation();
  return (
    <div role="status">
      <span className="sr-only">{t("common.loading")}</span>
      <Skeleton growing className="h-112 w-full rounded-card" />
    </div>
  );
}

function Step({
  name,
  done,
  isNext,
  ready,
}: {
  name: StepName;
  done: boolean;
  isNext: boolean;
  /** Its action is possible. */
  ready: boolean;
}) {
  const { t } = useTranslation();
  const { title, text, action, link } = steps[name];
  if (done)
    return (
      <li className="flex items-center gap-x-3 px-4 py-2.5 text-muted md:px-5">
        <CircleCheck
          role="img"
          aria-label={t("first-steps.done")}
          className="size-5 shrink-0 text-good-mark"
        />
        {t(title)}
      </li>
    );
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 md:px-5">
      <Circle aria-hidden className="size-5 shrink-0 self-start text-control-line" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold">{t(title)}</p>
        <p className="text-sm text-muted">
          {t(text)}
          {name === "machines" && (
            <>
              {" "}
              <Link
                to="/add-equipment"
                search={{ import: true }}
                className="rounded-control font-semibold text-accent hover:underline"
              >
                {t("first-steps.machines.import")}
              </Link>
            </>
          )}
        </p>
      </div>
      {ready && (
        <Button
          asChild
          size="small"
          variant={isNext ? "primary" : "secondary"}
          className="max-md:ml-8"
        >
          <Link {...link}>{t(action)}</Link>
        </Button>
      )}
    </li>
  );
}

function TrialDays() {
  const { t } = useTranslation();
  const subscription = useQuery(subscriptionQuery(useTransport())).data?.subscription;
  if (statusWord(subscription?.entitlements?.status ?? 0) !== "trial") return null;
  return ` · ${t("first-steps.trial", { count: subscription?.trialDaysLeft ?? 0 })}`;
}
