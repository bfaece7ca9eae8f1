// What has come of a training since, handed on to its views.

import { post } from "./mail.js";

export default function ({ data: [payload] }) {
  post(payload.mail, payload);
}
