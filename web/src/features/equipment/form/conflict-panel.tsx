import { clsx } from "clsx";
import { GitMerge, TriangleAlert } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { Topic } from "./merge";
import { useMergeTexts } from "./use-merge-texts";
import type { Conflict } from "./use-save-equipment";
import { valuesOf } from "./values";

export type Side = "mine" | "theirs";
export type Choices = Partial<Record<Topic, Side>>;

/**
 * Shows fields that someone else changed too: the original, the stored and the typed value. A
 * choice is written to the form immediately and can be reversed; the next save is based on the
 * newest version.
 */
export function ConflictPanel({
  conflict,
  choices,
  onChoose,
}: {
  conflict: Conflict;
  choices: Choices;
  onChoose: (topics: readonly Topic[], side: Side) => void;
}) {
  const { t } = useTranslation();
  const texts = useMergeTexts();
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // The user has just pressed Update at the end of a long form.
    panel.current?.focus();
  }, []);
  const by = texts.by(conflict.change);
  const stored = valuesOf(conflict.stored);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="scroll-mt-20 rounded-card border border-danger bg-raised"
    >
      <div className="flex gap-3 p-4 md:p-5">
        <TriangleAlert aria-hidden className="mt-1 size-5 shrink-0 text-danger" />
        <div className="min-w-0">
          <h2 id={titleId} className="text-lg font-semibold">
            {t("equipment-form.merge.title")}
          </h2>
          <p>{by ? t("equipment-form.merge.textBy", { by }) : t("equipment-form.merge.text")}</p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button size="small" onClick={() => onChoose(conflict.conflicts, "mine")}>
              {t("equipment-form.merge.keepMine")}
            </Button>
            <Button size="small" onClick={() => onChoose(conflict.conflicts, "theirs")}>
              {t("equipment-form.merge.takeTheirs")}
            </Button>
          </div>
        </div>
      </div>
      {conflict.conflicts.map((topic) => (
        <TopicChoice
          key={topic}
          label={texts.label(topic)}
          opened={texts.value(topic, conflict.opened)}
          theirs={texts.value(topic, stored)}
          mine={texts.value(topic, conflict.values)}
          side={choices[topic]}
          onChoose={(side) => onChoose([topic], side)}
        />
      ))}
      {conflict.merged.length > 0 && (
        <div className="flex gap-3 border-t border-line p-4 text-sm text-muted md:px-5">
          <GitMerge aria-hidden className="mt-0.5 size-4 shrink-0" />
          <div className="min-w-0">
            <p>{t("equipment-form.merge.alsoTaken")}</p>
            <ul>
              {conflict.merged.map((topic) => (
                <li key={topic} className="whitespace-pre-line">
                  {t("equipment-history.record.change", {
                    field: texts.label(topic),
                    before: texts.value(topic, conflict.opened),
                    after: texts.value(topic, stored),
                  })}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </section>
  );
}

function TopicChoice({
  label,
  opened,
  theirs,
  mine,
  side,
  onChoose,
}: {
  label: string;
  opened: string;
  theirs: string;
  mine: string;
  side: Side | undefined;
  onChoose: (side: Side) => void;
}) {
  const { t } = useTranslation();
  const name = useId();
  const sides = [
    { side: "theirs", heading: t("equipment-form.merge.theirs"), value: theirs },
    { side: "mine", heading: t("equipment-form.merge.mine"), value: mine },
  ] as const;
  return (
    <fieldset className="min-w-0 border-t border-line px-4 py-4 md:px-5">
      <legend className="sr-only">{label}</legend>
      <p aria-hidden className="mb-2 font-semibold">
        {label}
      </p>
      <div className="grid gap-2 md:grid-cols-3">
        <div className="rounded-(--control-radius) bg-sunken px-3.5 py-2.5">
          <p className="text-sm text-muted">{t("equipment-form.merge.opened")}</p>
          <Value>{opened}</Value>
        </div>
        {sides.map((each) => (
          <label
            key={each.side}
            className={clsx(
              "grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] content-start gap-x-2.5 rounded-(--control-radius) border border-control-line px-3.5 py-2.5 transition-colors hover:bg-sunken",
              "has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
            )}
          >
            <input
              type="radio"
              name={name}
              checked={side === each.side}
              onChange={() => onChoose(each.side)}
              className="mt-0.5 size-4 accent-(--accent)"
            />
            <span className="text-sm text-muted">{each.heading}</span>
            <span className="col-start-2 min-w-0">
              <Value>{each.value}</Value>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Value({ children }: { children: string }) {
  return <span className="block max-h-40 overflow-y-auto whitespace-pre-line">{children}</span>;
}
