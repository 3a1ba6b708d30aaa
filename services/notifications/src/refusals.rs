//! Error codes of this service and their English messages.

hourmeter_runtime::refusals! {
    MAIL_NOT_CONFIGURED: "This installation sends no mail. Ask the people who run it.",
    QUIET_HOURS_EMPTY: "Start and end must differ.",
    SMS_CODES_USED_UP: "No more codes can be sent today. Try again tomorrow.",
    SMS_CODE_EXPIRED: "This code does not work any more. Request another one.",
    SMS_CODE_WRONG: "This is not the code that was sent.",
    SMS_COUNTRY_CODE: "Text messages are sent to numbers that start with {codes}.",
    SMS_NOT_CONFIGURED: "This installation sends no text messages. Ask the people who run it.",
    SMS_NUMBER_INVALID: "Enter the number with its country code, such as +1 830 555 0199.",
}
