import { Fragment, useId } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { Dialog } from "../ui/dialog";
import { Switch } from "../ui/toggle";
import { setKeysOn, useKeysOn } from "./keys-choice";

/** Keys with the same effect, and the text of the effect. */
type KeyRow = readonly [keys: readonly string[], effect: TextKey];

const everywhere = [
  [["Ctrl + K", "/"], key("commands.keys.search")],
  [["+"], key("commands.keys.add")],
  [["L"], key("commands.keys.reading")],
  [["F"], key("commands.keys.fuel")],
  [["S"], key("commands.keys.service")],
  [["N"], key("commands.keys.note")],
  [["?"], key("commands.keys.help")],
] as const satisfies readonly KeyRow[];

const inLists = [
  [["J"], key("commands.keys.nextRow")],
  [["K"], key("commands.keys.previousRow")],
  [["Enter"], key("commands.keys.openRow")],
  [["X"], key("commands.keys.selectRow")],
  [["Esc"], key("commands.keys.endSelection")],
] as const satisfies readonly KeyRow[];

/** The shortcuts of the page, or of lists in general, and those of every page. */
export function KeysDialog({
  pageKeys = inLists,
  pageTitle = key("commands.keys.lists"),
  onClose,
}: {
  pageKeys?: readonly KeyRow[];
  pageTitle?: TextKey;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const on = useKeysOn();
  const id = useId();
  return (
    <Dialog open onOpenChange={onClose} title={t("commands.keys.title")}>
      <KeyList title={pageTitle} rows={pageKeys} />
      <KeyList title={key("commands.keys.everywhere")} rows={everywhere} />
      <div className="flex items-start gap-3 border-t border-line pt-4">
        <Switch id={id} checked={on} onChange={(event) => setKeysOn(event.target.checked)} />
        <div>
          <label htmlFor={id} className="cursor-pointer font-semibold">
            {t("commands.keys.on")}
          </label>
          <p className="text-sm text-muted">{t("commands.keys.onHint")}</p>
        </div>
      </div>
    </Dialog>
  );
}

function KeyList({ title, rows }: { title: TextKey; rows: readonly KeyRow[] }) {
  const { t } = useTranslation();
  return (
    <section className="mb-5">
      <h3 className="mb-2 text-sm font-semibold text-muted">{t(title)}</h3>
      <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-5 gap-y-2.5">
        {rows.map(([keys, text]) => (
          <Fragment key={text}>
            <dt className="flex items-baseline gap-1.5">
              {keys.map((name, index) => (
                <Fragment key={name}>
                  {index > 0 && <span className="text-sm text-muted">{t("commands.keys.or")}</span>}
                  <kbd className="rounded-control border border-control-line bg-sunken px-1.5 py-0.5 font-mono text-sm">
                    {name}
                  </kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
