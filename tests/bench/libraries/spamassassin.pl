# tests/bench/libraries/spamassassin.pl - SpamAssassin's local tests next to email-spam-check, for `make
# bench-tools`. Standard input and output are as in libraries.mjs. Its rules are those of the Debian
# package; network tests, the Bayes filter and its languages are off.
use strict;
use warnings;
use JSON::PP;
use Mail::SpamAssassin;
use Time::HiRes qw(clock);

my ($folder, $show) = @ARGV;
my $filter = Mail::SpamAssassin->new({
    local_tests_only => 1,
    dont_copy_prefs  => 1,
    userstate_dir    => $folder,
    post_config_text => "use_bayes 0\nuse_auto_whitelist 0\n",
});
$filter->compile_now(0, 1);
$| = 1;
while (my $count = <STDIN>) {
    my @requests = map { scalar <STDIN> } 1 .. $count;
    my @replies;
    my $before = clock();
    for my $request (@requests) {
        my $mail = decode_json($request);
        my $text = "From: $mail->{from}\nTo: you\@example.com\nSubject: $mail->{subject}\n"
            . "Date: Mon, 23 Nov 2026 10:00:00 +0000\nMessage-ID: <1\@example.com>\n"
            . "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n$mail->{body}\n";
        utf8::encode($text) if utf8::is_utf8($text);
        my $parsed = $filter->parse($text);
        my $status = $filter->check($parsed);
        push @replies, encode_json({
            score => $status->get_score() + 0, rules => $status->get_names_of_tests_hit() });
        $status->finish();
        $parsed->finish();
    }
    my $spent = clock() - $before;
    print map { "$_\n" } @replies if $show;
    printf "%d\n", 1e9 * $spent;
}
